/** Settings of services, for who only reads them: no web framework comes along. */
export { type CommonConfig, commonConfigSchema, httpAddress } from './config/common-config.js';
export {
  type ConfigLayer,
  type Environment,
  explainConfig,
  loadConfig,
  printableConfig,
  type Setting,
  type SettingForm,
  secret,
  settingsOf,
  variableNames,
} from './config/load-config.js';
