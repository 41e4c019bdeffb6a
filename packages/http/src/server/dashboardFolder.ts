/**
 * Where the built dashboard is.
 *
 * @since 0.1.0
 */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

// Beside `src` or `dist` in a published package, else where the workspace builds it.
const folders = ["../../dashboard/", "../../../dashboard/dist/site/"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url))
)

/** The folder of the built dashboard, where there is one. @category options @since 0.1.0 */
export const dashboardFolder = (): string | undefined =>
  folders.find((path) => existsSync(`${path}index.html`))
