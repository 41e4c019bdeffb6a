/**
 * Releases every package as the release workflow does, to a registry on loopback, and uses them
 * from there as their users would. It checks what a start installs, versions and change logs, the
 * build, `publish`, and what is in the tarballs. Then npm and pnpm install them, and the examples
 * run on the oldest Node that the packages name, on ours and on the newest. Last, a host of Next
 * is built and asked.
 *
 * All of it happens in a temporary copy, so the tree stays as it is.
 *
 *   npm run release:check
 */
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import {
  type Client,
  fetchNode,
  type Host,
  install,
  installedVersions,
  makeHost,
  type Node,
  tryExample,
  tryNext,
  tryServer,
  tryTypes
} from "./release/hosts.ts"
import { openRegistry, type Registry } from "./release/registry.ts"
import { checkTarball } from "./release/tarballs.ts"
import { copyWorkspace, type Environment, environmentOf, run } from "./release/workspace.ts"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const everything = ["core", "http", "store-memory", "webhooks"].map((name) => `@candlewick/${name}`)

const says = (what: string): void => console.log(`ok    ${what}`)

interface Check {
  readonly folder: string
  readonly env: Environment
  readonly registry: Registry
}

/** As much as a start may install, with its Node. */
const startMaxMegabytes = 260

/** `npm start` installs what the server and the examples run on, and little else. */
const tryStart = async ({ folder, env }: Check): Promise<void> => {
  const copy = join(folder, "copy")
  await mkdir(copy)
  await copyWorkspace(root, copy)
  // It installs as `npm start` does, and ends by itself.
  await run(copy, env, "npm", "run", "--silent", "embed")
  const [kilobytes] = (await run(copy, env, "du", "-sk", "node_modules")).split("\t")
  const megabytes = Math.round(Number(kilobytes) / 1024)
  if (megabytes > startMaxMegabytes) throw new Error(`a start installs ${megabytes} MB`)
  says(`a start installs ${megabytes} MB`)
}

/** Versions, builds and publishes the copy, with the scripts that the workflow calls. */
const release = async ({ folder, env, registry }: Check): Promise<void> => {
  const copy = join(folder, "copy")
  await run(copy, env, "npm", "run", "--silent", "setup")
  await run(copy, env, "npm", "run", "--silent", "release:version")
  // The pull request with the versions is checked like any other.
  await run(copy, env, "npm", "run", "--silent", "format:check")
  await run(copy, env, "npm", "run", "--silent", "release")
  const published = [...registry.tarballs.keys()].toSorted()
  says(`published ${published.join(", ")}`)
}

const checkTarballs = async ({ folder, env, registry }: Check): Promise<void> => {
  for (const entry of registry.tarballs) {
    await checkTarball(root, folder, env, entry)
    says(`${entry[0]}: files, manifest, publint and attw`)
  }
}

/** The requirements of the packages: a range of effect and the oldest Node. */
const asked = async (): Promise<{ readonly effect: string; readonly oldestNode: string }> => {
  const manifest = JSON.parse(await readFile(join(root, "packages/http/package.json"), "utf8"))
  return {
    effect: manifest.peerDependencies.effect,
    oldestNode: manifest.engines.node.replace(">=", "")
  }
}

/** The first and the last version of effect that the packages take. */
const endsOf = async (range: string, env: Environment): Promise<ReadonlyArray<string>> => {
  const told = await run(root, env, "npm", "view", `effect@${range}`, "version", "--json")
  const versions: ReadonlyArray<string> = [JSON.parse(told)].flat()
  return [...new Set([versions[0]!, versions.at(-1)!])]
}

/** There is one effect in a project, so a service of one package is the service of the others. */
const checkEffect = async (host: Host, wanted: string): Promise<void> => {
  const found = await installedVersions(host, "effect")
  if (found.join() !== wanted) {
    throw new Error(`${host.client} installed effect ${found.join(" and ")}, not ${wanted} once`)
  }
}

/** The engine is published as one file, which must export what its sources do. */
const tryEngine = async (host: Host, node: Node): Promise<void> => {
  const wanted = Object.keys(await import("@candlewick/core/engine")).toSorted()
  const program = `console.log(Object.keys(await import("@candlewick/core/engine")).toSorted().join())`
  const args = ["--input-type=module", "--eval", program]
  const printed = (await run(host.folder, host.env, node.path, ...args)).trim()
  if (printed !== wanted.join())
    throw new Error(`the engine exports ${printed}, not ${wanted.join()}`)
}

/** One project, on its way from one package to all of them. */
const tryHost = async (
  { folder, env }: Check,
  client: Client,
  nodes: ReadonlyArray<Node>,
  effect: { readonly version: string; readonly isNamed: boolean }
): Promise<void> => {
  const name = `${client} with effect ${effect.version}${effect.isNamed ? ", named" : ""}`
  const host = await makeHost(root, join(folder, name.replaceAll(/\W+/g, "-")), client, env)
  await install(host, "@candlewick/core", ...(effect.isNamed ? [`effect@${effect.version}`] : []))
  await checkEffect(host, effect.version)
  for (const node of nodes) {
    await tryExample(host, node, "02-sweep")
    await tryEngine(host, node)
    says(`${name}: @candlewick/core alone, on Node ${node.version}`)
  }
  await install(host, ...everything)
  await checkEffect(host, effect.version)
  if (client === "npm") {
    await tryTypes(host, join(root, "node_modules", ".bin", "tsc"))
    says(`${name}: types of the examples`)
  }
  for (const node of nodes) {
    await tryExample(host, node, "04-embed")
    await tryServer(host, node, "05-client")
    says(`${name}: library and server, on Node ${node.version}`)
  }
}

/** The example of Next is built of the packages that a user installs, and runs. */
const tryNextHost = async ({ folder, env }: Check, node: Node): Promise<void> => {
  const host = await makeHost(root, join(folder, "next"), "npm", env)
  await install(host, "@candlewick/core", "@candlewick/http", "@candlewick/store-memory")
  await tryNext(root, host, node)
  says("Next builds the API in, and answers")
}

/** A host on another minor of effect is told at its install, and gets no second copy. */
const tryOtherEffect = async ({ folder, env }: Check): Promise<void> => {
  const host = await makeHost(root, join(folder, "other-effect"), "npm", env)
  const refusal = await install(host, "effect@4.0.6", "@candlewick/core").then(
    () => "nothing",
    (error: Error) => error.message
  )
  if (!refusal.includes("ERESOLVE")) throw new Error(`npm said ${refusal} of another effect`)
  says("npm refuses another minor of effect")
}

const check = async (it: Check): Promise<void> => {
  await tryStart(it)
  await release(it)
  await checkTarballs(it)
  const { effect, oldestNode } = await asked()
  const ends = await endsOf(effect, it.env)
  const ours: Node = { version: process.versions.node, path: process.execPath }
  const nodes = [
    ours,
    ...(await fetchNode(join(it.folder, "oldest-node"), oldestNode, it.env)),
    ...(await fetchNode(join(it.folder, "newest-node"), "latest", it.env))
  ]
  if (nodes.length === 1)
    console.log(`skip  Node ${oldestNode} and the newest: none for this system`)
  const newest = { version: ends.at(-1)!, isNamed: false }
  await tryHost(it, "npm", nodes, newest)
  await tryHost(it, "pnpm", [ours], newest)
  for (const version of ends.slice(0, -1)) {
    await tryHost(it, "npm", [ours], { version, isNamed: true })
  }
  if (ends.length === 1) says(`effect ${ends[0]} is both ends of ${effect}`)
  await tryOtherEffect(it)
  await tryNextHost(it, ours)
}

const folder = await mkdtemp(join(tmpdir(), "candlewick-release-"))
const registry = await openRegistry()
try {
  await check({ folder, registry, env: await environmentOf(folder, registry) })
} finally {
  await registry.close()
  await rm(folder, { recursive: true, force: true })
}
