/** Settings of services, for who only reads them: no web framework comes along. */
export { httpAddress, isPlaintextElsewhere } from './config/addresses.js';
export { type CommonConfig, commonConfigSchema } from './config/common-config.js';
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
