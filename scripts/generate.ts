/**
 * Writes every generated file, or with `--check` says which ones are stale.
 *
 * Each source is one value in the code: state tables, catalogues, limits, problems, settings, the
 * API.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { lintRules } from "./generate/lintRules.ts"
import { surfaces } from "./generate/surface.ts"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const isCheck = process.argv.includes("--check")
const stale: Array<string> = []

const write = (path: string, text: string): void => {
  const full = join(root, path)
  let before: string | undefined
  try {
    before = readFileSync(full, "utf8")
  } catch {
    before = undefined
  }
  if (before === text) return
  if (isCheck) {
    stale.push(path)
    return
  }
  mkdirSync(dirname(full), { recursive: true })
  writeFileSync(full, text)
  console.log(`wrote ${path}`)
}

write(".oxlintrc.json", lintRules(readFileSync(join(root, ".oxlintrc.json"), "utf8")))

for (const [path, text] of surfaces(root)) write(path, text)

const { pages } = await import("./generate/pages.ts")
for (const [path, text] of await pages()) write(path, text)

if (stale.length > 0) {
  console.error(
    `Stale, run \`npm run generate\`:\n${stale.map((path) => `  ${relative(".", path)}`).join("\n")}`
  )
  process.exit(1)
}
