/**
 * Fresh projects that install our packages from a registry, as their users do, and run what the
 * repository's examples promise.
 */
import { cp, mkdir, readdir, realpath, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { checkHost, startHost } from "../hostChecks.ts"
import { expectedOutput, freePort, runExample, startServer, stopServer } from "../examples.ts"
import { pnpm } from "../setup.js"
import { type Environment, run } from "./workspace.ts"

/** A client that installs. */
export type Client = "npm" | "pnpm"

/** A program's Node: what it is called and where it is. */
export interface Node {
  readonly version: string
  readonly path: string
}

/** A project of a user. */
export interface Host {
  readonly folder: string
  readonly client: Client
  readonly env: Environment
}

const commands: Readonly<Record<Client, ReadonlyArray<string>>> = {
  npm: ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"],
  pnpm: ["npx", "--yes", pnpm, "add"]
}

/** A project with nothing but the examples and their candles. */
export const makeHost = async (
  root: string,
  folder: string,
  client: Client,
  env: Environment
): Promise<Host> => {
  await mkdir(join(folder, "examples"), { recursive: true })
  const manifest = { name: "a-user", private: true, type: "module" }
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest))
  for (const name of ["02-sweep", "04-embed", "05-client"]) {
    await cp(join(root, "examples", `${name}.ts`), join(folder, "examples", `${name}.ts`))
  }
  await cp(join(root, "samples"), join(folder, "samples"), { recursive: true })
  return { folder, client, env }
}

/** Installs packages into a project. */
export const install = async (host: Host, ...packages: ReadonlyArray<string>): Promise<void> => {
  const [command, ...args] = commands[host.client]
  await run(host.folder, host.env, command!, ...args, ...packages)
}

/** The versions of a package in a project, wherever they are. */
export const installedVersions = async (
  host: Host,
  name: string
): Promise<ReadonlyArray<string>> => {
  const paths = await readdir(join(host.folder, "node_modules"), { recursive: true })
  const manifest = join("node_modules", name, "package.json")
  const found = paths
    .map((path) => join(host.folder, "node_modules", path))
    .filter((path) => path.endsWith(join("/", manifest)))
  // pnpm links one copy to all who need it.
  const copies = new Set(await Promise.all(found.map((path) => realpath(path))))
  const versions = [...copies].map(async (path) => {
    const { default: read } = await import(path, { with: { type: "json" } })
    return String(read.version)
  })
  return Promise.all(versions)
}

/** Runs an example in a project, and compares what it prints with what it says that it prints. */
export const tryExample = async (host: Host, node: Node, name: string, port = 0): Promise<void> => {
  const wanted = await expectedOutput(name)
  const printed = await runExample(name, port, join(host.folder, "examples"), node.path)
  if (printed === wanted) return
  throw new Error(`${name}\n--- wanted\n${wanted}\n--- printed\n${printed}`)
}

/** Starts a project's server, and runs an example against it. */
export const tryServer = async (host: Host, node: Node, example: string): Promise<void> => {
  const port = await freePort()
  const manifest = join(host.folder, "node_modules", "@candlewick", "http", "package.json")
  const { default: read } = await import(manifest, { with: { type: "json" } })
  const bin = join(dirname(manifest), read.bin["candlewick-server"])
  const server = await startServer(port, {}, bin, node.path)
  try {
    await tryExample(host, node, example, port)
  } finally {
    await stopServer(server)
  }
}

/** Next ends itself so after a SIGTERM, as a process that the signal ends. */
const nextExitCode = 143

/** Builds and starts the example of Next, which bundles no package that a workspace links. */
export const tryNext = async (root: string, host: Host, node: Node): Promise<void> => {
  await cp(join(root, "examples", "hosts", "next"), host.folder, { recursive: true })
  await install(host, "next", "react", "react-dom")
  const next = join(host.folder, "node_modules", "next", "dist", "bin", "next")
  await run(host.folder, { ...host.env, NEXT_TELEMETRY_DISABLED: "1" }, node.path, next, "build")
  const options = { cwd: host.folder, port: await freePort() }
  const args = [next, "start", "--hostname", "127.0.0.1"]
  await checkHost(await startHost(node.path, args, options), nextExitCode)
}

/** Compiles the examples of a project against the types that were published. */
export const tryTypes = async (host: Host, tsc: string): Promise<void> => {
  const compilerOptions = {
    target: "es2024",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: false,
    types: ["node"]
  }
  const config = { compilerOptions, include: ["examples"] }
  await writeFile(join(host.folder, "tsconfig.json"), JSON.stringify(config))
  await run(host.folder, host.env, tsc, "--project", host.folder)
}

/** A Node from the registry, where it has one for this machine. */
export const fetchNode = async (
  folder: string,
  version: string,
  env: Environment
): Promise<ReadonlyArray<Node>> => {
  if (process.platform !== "linux") return []
  const name = `node-${process.platform}-${process.arch}`
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true }))
  const host: Host = { folder, client: "npm", env }
  await install(host, `${name}@${version}`)
  const [fetched] = await installedVersions(host, name)
  return [
    { version: fetched!.replace("v", ""), path: join(folder, "node_modules", name, "bin", "node") }
  ]
}
