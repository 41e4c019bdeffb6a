/**
 * Packs every package as it would be published, installs the tarballs in a new folder, and runs the
 * examples and the server there, as a user of the registry would.
 *
 *   npm run build && node scripts/tryPackages.ts
 */
import { execFileSync } from "node:child_process"
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { expectedOutput, freePort, runExample, startServer, stopServer } from "./examples.ts"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const pnpm = "pnpm@12.21.0"
const examples = ["embed", "quickstart"]

const run = (folder: string, command: string, ...args: ReadonlyArray<string>): void => {
  execFileSync(command, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] })
}

/** Packs every package; names with the tarballs that they are in. */
const pack = async (folder: string): Promise<Readonly<Record<string, string>>> => {
  const tarballs: Record<string, string> = {}
  for (const entry of await readdir(join(root, "packages"))) {
    const source = join(root, "packages", entry)
    const target = join(folder, "tarballs", entry)
    const { name } = JSON.parse(await readFile(join(source, "package.json"), "utf8"))
    run(source, "npx", "--yes", pnpm, "pack", "--pack-destination", target)
    const [file] = await readdir(target)
    if (file === undefined) throw new Error(`${name} made no tarball`)
    tarballs[name] = `file:${join(target, file)}`
  }
  return tarballs
}

/** The engine is published as one file, which must export what its sources do. */
const tryEngine = async (folder: string): Promise<void> => {
  const wanted = Object.keys(await import("@candlewick/engine/fast"))
    .toSorted()
    .join(" ")
  const program = `console.log(Object.keys(await import("@candlewick/engine/fast")).toSorted().join(" "))`
  const args = ["--input-type=module", "--eval", program]
  const printed = execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8" }).trim()
  if (printed !== wanted) throw new Error(`the engine exports ${printed}, not ${wanted}`)
  console.log(`ok    the engine, from its one file on Node ${process.versions.node}`)
}

const install = async (folder: string): Promise<void> => {
  const dependencies = await pack(folder)
  const overrides = Object.fromEntries(
    Object.keys(dependencies).map((name) => [name, `$${name}`] as const)
  )
  const manifest = { name: "a-user", private: true, type: "module", dependencies, overrides }
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest, null, 2))
  run(folder, "npm", "install", "--no-audit", "--no-fund", "--loglevel=error")
  await mkdir(join(folder, "examples"))
  for (const name of examples) {
    await cp(join(root, "examples", `${name}.ts`), join(folder, "examples", `${name}.ts`))
  }
  await cp(join(root, "samples"), join(folder, "samples"), { recursive: true })
}

const folder = await mkdtemp(join(tmpdir(), "candlewick-packages-"))
try {
  await install(folder)
  await tryEngine(folder)
  const port = await freePort()
  const bin = join(folder, "node_modules", ".bin", "candlewick-server")
  const server = await startServer(port, {}, bin)
  try {
    for (const name of examples) {
      const wanted = await expectedOutput(name)
      const printed = await runExample(name, port, join(folder, "examples"))
      if (printed !== wanted) {
        throw new Error(`${name}\n--- wanted\n${wanted}\n--- printed\n${printed}`)
      }
      console.log(`ok    ${name}, from the packed packages on Node ${process.versions.node}`)
    }
  } finally {
    await stopServer(server)
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
