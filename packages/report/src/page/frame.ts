/**
 * The frame of every page: its policy, its styles, its data and its script.
 *
 * @since 0.1.0
 */
import { escape } from "./html.ts"
import { packJson } from "./pack.ts"

/** The parts of each page. @category models @since 0.1.0 */
export interface PageAssets {
  readonly script: string
  readonly style: string
  /** `sha256-…` of each, which the page's policy names. */
  readonly scriptHash: string
  readonly styleHash: string
}

/** A page that is ready to be framed. @category models @since 0.1.0 */
export interface PageContent {
  readonly title: string
  /** The warning before all else. */
  readonly warnings: ReadonlyArray<string>
  readonly verdict: string
  readonly body: string
  /** The charts that the script draws. */
  readonly data: unknown
}

const warningList = (warnings: ReadonlyArray<string>): string =>
  warnings.length === 0
    ? `<p class="calm">No warnings.</p>`
    : `<ul class="warnings">${warnings.map((warning) => `<li>${escape(warning)}</li>`).join("")}</ul>`

/** The whole page. @category html @since 0.1.0 */
export const frame = (assets: PageAssets, content: PageContent): string => {
  const { body, data, title, verdict, warnings } = content
  const policy = [
    "default-src 'none'",
    `script-src '${assets.scriptHash}'`,
    `style-src '${assets.styleHash}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'"
  ].join("; ")
  return [
    "<!doctype html>",
    `<html lang="en"><head><meta charset="utf-8">`,
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    `<meta name="viewport" content="width=device-width, initial-scale=1">`,
    `<meta name="color-scheme" content="light dark">`,
    `<title>${escape(title)}</title>`,
    `<style>${assets.style}</style></head>`,
    `<body><header><h1>${escape(title)}</h1><p class="verdict">${escape(verdict)}</p>`,
    `${warningList(warnings)}</header><main>${body}</main>`,
    `<script type="application/json" id="data">${packJson(data)}</script>`,
    `<script>${assets.script}</script></body></html>`
  ].join("\n")
}
