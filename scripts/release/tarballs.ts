/**
 * The contents of a published tarball, and whether tools and compilers find their way in it.
 */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { type Environment, run } from "./workspace.ts"

const wanted = ["LICENSE", "README.md", "CHANGELOG.md", "package.json"]
const unwanted = /\.tsbuildinfo$|\.test\.|^test\//

const checkFiles = async (file: string, env: Environment): Promise<ReadonlyArray<string>> => {
  const listed = await run(".", env, "tar", "-tzf", file)
  const names = listed.split("\n").map((name) => name.replace(/^package\//, ""))
  return [
    ...wanted.filter((name) => !names.includes(name)).map((name) => `it has no ${name}`),
    ...names.filter((name) => unwanted.test(name)).map((name) => `it has ${name}`)
  ]
}

const checkManifest = async (file: string, env: Environment): Promise<ReadonlyArray<string>> => {
  const text = await run(".", env, "tar", "-xzOf", file, "package/package.json")
  return [...text.matchAll(/"(?:workspace|catalog|file|link):[^"]*"/g)].map(
    ([found]) => `its manifest has ${found}, which no registry knows`
  )
}

const lint = async (tarball: Buffer): Promise<ReadonlyArray<string>> => {
  const bytes = new Uint8Array(tarball).buffer
  const { messages, pkg } = await publint({ pack: { tarball: bytes }, strict: true })
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code)
}

/** Throws where a tarball is not what it should be; `root` is where the tools are. */
export const checkTarball = async (
  root: string,
  folder: string,
  env: Environment,
  [name, tarball]: readonly [string, Buffer]
): Promise<void> => {
  const file = join(folder, `${name.replaceAll("/", "-")}.tgz`)
  await writeFile(file, tarball)
  const faults = [
    ...(await checkFiles(file, env)),
    ...(await checkManifest(file, env)),
    ...(await lint(tarball))
  ]
  if (faults.length > 0) throw new Error(`${name}:\n${faults.join("\n")}`)
  const attw = join(root, "node_modules", ".bin", "attw")
  await run(root, env, attw, file, "--profile", "esm-only", "--no-emoji", "--format", "ascii")
}
