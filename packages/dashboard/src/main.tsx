/**
 * Starts the dashboard.
 */
import { render } from "preact"
import { startStream } from "./api/stream.ts"
import { App } from "./shell/App.tsx"
import { mendLanguage } from "./shell/language.ts"
import { applyTheme } from "./shell/theme.ts"

mendLanguage()
applyTheme()
startStream()
render(<App />, document.getElementById("app")!)
