/**
 * Starts the dashboard.
 */
import { render } from "preact"
import { startStream } from "./api/stream.ts"
import { App } from "./shell/App.tsx"
import { applyTheme } from "./shell/theme.ts"

applyTheme()
startStream()
render(<App />, document.getElementById("app")!)
