/**
 * Makes one file of the engine that `tsc -b` has compiled. A program that sweeps and ends spends
 * more time on finding a hundred modules than on reading them.
 *
 *   npm run build
 */
import { join } from "node:path"
import { rolldown } from "rolldown"

const dist = join(import.meta.dirname, "..", "packages", "engine", "dist")

await using bundle = await rolldown({
  input: join(dist, "fast", "index.js"),
  platform: "neutral"
})
await bundle.write({ file: join(dist, "fast.js"), format: "esm", sourcemap: true })
