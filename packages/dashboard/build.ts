/**
 * Builds the dashboard into `dist/site`: one HTML file, and hashed assets beside their gzip.
 *
 *   node packages/dashboard/build.ts    builds where sources changed since the last build
 *
 * Setting up runs this with nothing but what the server runs on, so it loads rolldown alone, and
 * only where something changed.
 */
import { createHash } from "node:crypto"
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { constants, gzipSync } from "node:zlib"

const here = import.meta.dirname

/** Where the built files are. */
export const siteFolder = join(here, "dist", "site")

/** A built file and its sizes. */
export interface BuiltFile {
  readonly name: string
  readonly bytes: number
  readonly gzipBytes: number
}

const hashOf = (bytes: string | Uint8Array): string =>
  createHash("sha256").update(bytes).digest("hex").slice(0, 10)

/** Every file that the build depends on, as one hash. */
const stampOf = async (): Promise<string> => {
  const names = await readdir(join(here, "src"), { recursive: true, withFileTypes: true })
  const paths = names
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
  const hash = createHash("sha256")
  for (const path of [join(here, "package.json"), join(here, "build.ts"), ...paths]) {
    hash.update(path.slice(here.length)).update(await readFile(path))
  }
  return hash.digest("hex")
}

const styleSheet = async (): Promise<string> => {
  const uplot = fileURLToPath(import.meta.resolve("uplot/dist/uPlot.min.css"))
  const names = (await readdir(join(here, "src", "style"))).toSorted()
  const sheets = await Promise.all(
    [uplot, ...names.map((name) => join(here, "src", "style", name))].map((path) =>
      readFile(path, "utf8")
    )
  )
  return sheets
    .join("\n")
    .replaceAll(/\/\*[^]*?\*\//g, "")
    .replaceAll(/\s*\n\s*/g, "\n")
}

const bundle = async (folder: string): Promise<string> => {
  const { rolldown } = await import("rolldown")
  await using build = await rolldown({
    input: { main: join(here, "src", "main.tsx") },
    platform: "browser",
    tsconfig: false,
    transform: {
      jsx: { runtime: "automatic", importSource: "preact" },
      define: { "process.env.NODE_ENV": '"production"' }
    }
  })
  const { output } = await build.write({
    dir: folder,
    format: "esm",
    minify: true,
    entryFileNames: "[name]-[hash].js",
    chunkFileNames: "[name]-[hash].js"
  })
  const entry = output.find((one) => one.type === "chunk" && one.isEntry)
  if (entry === undefined) throw new Error("the build has no entry")
  return entry.fileName
}

const zip = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder)) {
    const bytes = await readFile(join(folder, name))
    const packed = gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION })
    await writeFile(join(folder, `${name}.gz`), packed)
  }
}

/** Writes the files into an empty folder. */
const writeSite = async (making: string, stamp: string): Promise<void> => {
  const assets = join(making, "assets")
  await mkdir(assets)
  const [entry, css, page, icon] = await Promise.all([
    bundle(assets),
    styleSheet(),
    readFile(join(here, "src", "index.html"), "utf8"),
    readFile(join(here, "src", "icon.svg"), "utf8")
  ])
  const style = `style-${hashOf(css)}.css`
  const iconName = `icon-${hashOf(icon)}.svg`
  await writeFile(join(assets, style), css)
  await writeFile(join(assets, iconName), icon)
  await writeFile(join(assets, "NOTICE.txt"), await readFile(join(here, "NOTICE")))
  await zip(assets)
  const html = page
    .replace("%style%", `assets/${style}`)
    .replace("%icon%", `assets/${iconName}`)
    .replace("%main%", `assets/${entry}`)
  await writeFile(join(making, "index.html"), html)
  await writeFile(join(making, ".stamp"), stamp)
}

const stampIn = (folder: string): Promise<string> =>
  readFile(join(folder, ".stamp"), "utf8").catch(() => "")

const isTaken = (error: unknown): boolean =>
  ["ENOTEMPTY", "EEXIST", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")

/**
 * Gives built files their place, unless another build has brought the same files there. A folder
 * of other files is moved aside whole, so that nobody removes what another build has just put.
 */
const putInPlace = async (making: string, folder: string, stamp: string): Promise<void> => {
  for (;;) {
    if ((await stampIn(folder)) === stamp) return
    const aside = join(making, "before")
    await rename(folder, aside).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error
    })
    await rm(aside, { recursive: true, force: true })
    try {
      return await rename(join(making, "site"), folder)
    } catch (error) {
      if (!isTaken(error)) throw error
    }
  }
}

/**
 * Builds the files into a folder, which is replaced whole. Several builds may run at once: each
 * writes into a folder of its own beside it.
 */
export const build = async (stamp: string, folder = siteFolder): Promise<void> => {
  await mkdir(dirname(folder), { recursive: true })
  const making = await mkdtemp(`${folder}.`)
  try {
    const site = join(making, "site")
    await mkdir(site)
    await writeSite(site, stamp)
    await putInPlace(making, folder, stamp)
  } finally {
    await rm(making, { recursive: true, force: true })
  }
}

/** Builds where the sources are others than those of the last build; whether it had to. */
export const buildIfChanged = async (): Promise<boolean> => {
  const stamp = await stampOf()
  if (stamp === (await stampIn(siteFolder))) return false
  await build(stamp)
  return true
}

/** Every built file with its sizes, the largest first. */
export const builtFiles = async (): Promise<ReadonlyArray<BuiltFile>> => {
  const entries = await readdir(siteFolder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile() && !/^\.|\.gz$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
  const sized = paths.map(async (path) => {
    const bytes = await readFile(path)
    const name = path.slice(siteFolder.length + 1)
    return { name, bytes: bytes.length, gzipBytes: gzipSync(bytes, { level: 9 }).length }
  })
  return (await Promise.all(sized)).toSorted((one, other) => other.gzipBytes - one.gzipBytes)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildIfChanged()
