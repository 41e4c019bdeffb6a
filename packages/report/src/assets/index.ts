/**
 * The script and the styles of the pages, read once from the disk.
 *
 * @since 0.1.0
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { PageAssets } from "../page/frame.ts"

const read = (url: string | URL): string => readFileSync(fileURLToPath(url), "utf8")

const hashOf = (text: string): string =>
  `sha256-${createHash("sha256").update(text).digest("base64")}`

const notice = (text: string): string => `/*! uPlot 1.6.32, MIT\n${text.trim()}\n*/\n`

let kept: PageAssets | undefined

/** The assets of each page. @category assets @since 0.1.0 */
export const pageAssets = (): PageAssets => {
  if (kept !== undefined) return kept
  const own = (file: string): string => read(new URL(`../../browser/${file}`, import.meta.url))
  const script =
    own("language.js") +
    notice(read(import.meta.resolve("uplot/LICENSE"))) +
    read(import.meta.resolve("uplot/dist/uPlot.iife.min.js")) +
    own("view.js")
  const style = read(import.meta.resolve("uplot/dist/uPlot.min.css")) + own("view.css")
  kept = { script, style, scriptHash: hashOf(script), styleHash: hashOf(style) }
  return kept
}
