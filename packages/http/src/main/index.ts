/**
 * The server as a program, for programs that start it, or work on its data.
 *
 * @since 0.1.0
 */
export { backUp } from "./backUp.ts"
export { type EmbeddedApi, type EmbeddedOptions, openEmbedded, StoreNotOpened } from "./embedded.ts"
export { faultText } from "./faultText.ts"
export { portIsFree } from "./portIsFree.ts"
export { readSettings, type ServerSettings, type StoreSetting } from "./settings.ts"
export { start } from "./start.ts"
export { unknownVariables } from "./unknownVariables.ts"
