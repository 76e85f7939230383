export type { OfferedTool } from './offered-tool.js';
export { within } from './result-text.js';
export { type ToolServersChoice, toolServersSchema } from './tool-servers.config.js';
export { type ToolBox, type ToolResult, ToolServers, type ToolServersSettings } from './tool-servers.js';
