/**
 * A Chromium from the registry with the libraries that it needs, unpacked once beside other caches.
 * It needs no root and no browser of the machine.
 */
import { existsSync } from "node:fs"
import { mkdir, rename, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { inflate } from "@sparticuz/chromium"
import { type Browser, chromium } from "playwright-core"

const packs = join(
  dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")),
  "..",
  "..",
  "bin"
)
const cache = join(import.meta.dirname, "..", "..", "..", "node_modules", ".cache", "candlewick")

/** Whether there is a Chromium for this machine: the packs are for Linux on x64. */
export const hasBrowser = process.platform === "linux" && process.arch === "x64"

const fontsIn = (folder: string): string =>
  `<?xml version="1.0"?>\n<!DOCTYPE fontconfig SYSTEM "fonts.dtd">\n<fontconfig><dir>${folder}</dir>` +
  `<cachedir>${folder}/cache</cachedir></fontconfig>\n`

/** Unpacks into a folder of its own, and gives it its name whole: tests may run at once. */
const unpacked = async (): Promise<string> => {
  const folder = join(cache, "chromium-147")
  if (existsSync(folder)) return folder
  const making = `${folder}.${process.pid}`
  await mkdir(making, { recursive: true })
  const { TMPDIR } = process.env
  process.env["TMPDIR"] = making
  try {
    for (const name of ["chromium.br", "al2023.tar.br", "fonts.tar.br", "swiftshader.tar.br"]) {
      await inflate(join(packs, name))
    }
  } finally {
    if (TMPDIR === undefined) delete process.env["TMPDIR"]
    else process.env["TMPDIR"] = TMPDIR
  }
  // The one that comes along names folders of another machine.
  await writeFile(join(making, "fonts", "fonts.conf"), fontsIn(join(folder, "fonts", "fonts")))
  await rename(making, folder).catch(() => rm(making, { recursive: true, force: true }))
  return folder
}

/** Starts a browser of its own. */
export const openBrowser = async (): Promise<Browser> => {
  const folder = await unpacked()
  return chromium.launch({
    executablePath: join(folder, "chromium"),
    args: ["--no-sandbox", "--headless=shell", "--font-render-hinting=none"],
    env: {
      ...process.env,
      FONTCONFIG_PATH: join(folder, "fonts"),
      LD_LIBRARY_PATH: [join(folder, "al2023", "lib"), folder, process.env["LD_LIBRARY_PATH"] ?? ""]
        .filter((path) => path !== "")
        .join(":")
    }
  })
}
