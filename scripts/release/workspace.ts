/**
 * A copy of the workspace that can be released without a trace in the original.
 */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import type { Registry } from "./registry.ts"

/** The environment of a command. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Runs a command, while the registry goes on; where it fails, the error has what it printed. */
export const run = async (
  folder: string,
  env: Environment,
  command: string,
  ...args: ReadonlyArray<string>
): Promise<string> => {
  try {
    const options = { cwd: folder, env, maxBuffer: 2 ** 26 }
    const running = promisify(execFile)(command, args, options)
    running.child.stdin?.end()
    return (await running).stdout
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout?: string; readonly stderr?: string }
    throw new Error(`${[command, ...args].join(" ")}\n${stdout ?? ""}${stderr ?? ""}`.trim(), {
      cause: error
    })
  }
}

const userConfig = /^(p?npm)_config_userconfig$/i

/**
 * An environment in which our packages come from the loopback registry and go there, and all
 * others come from where they came before.
 */
export const environmentOf = async (folder: string, registry: Registry): Promise<Environment> => {
  const file = join(folder, "npmrc")
  const named = Object.entries(process.env).find(([name]) => userConfig.test(name))?.[1]
  const own = named ?? join(homedir(), ".npmrc")
  const before = existsSync(own) ? await readFile(own, "utf8") : ""
  const authority = registry.url.replace(/^http:/, "")
  const lines = [
    `@candlewick:registry=${registry.url}`,
    `${authority}:_authToken=${registry.token}`,
    // A user who installs on the day of a release would wait for a day as well.
    "minimum-release-age=0"
  ]
  await writeFile(file, `${before.trimEnd()}\n${lines.join("\n")}\n`)
  const kept = Object.entries(process.env).filter(([name]) => !userConfig.test(name))
  return { ...Object.fromEntries(kept), npm_config_userconfig: file }
}

/** Copies the files that git knows or would add, as they are now, and commits them there. */
export const copyWorkspace = async (root: string, target: string): Promise<void> => {
  const list = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"]
  const files = (await run(root, process.env, "git", ...list)).split("\0")
  const copies = files
    .filter((file) => file !== "" && existsSync(join(root, file)))
    .map(async (file) => {
      await mkdir(dirname(join(target, file)), { recursive: true })
      await copyFile(join(root, file), join(target, file))
    })
  await Promise.all(copies)
  // Changesets ask git when an entry was added, and tag what they have published.
  const identity = ["-c", "user.name=release check", "-c", "user.email=release@localhost"]
  await run(target, process.env, "git", "init", "--quiet")
  await run(target, process.env, "git", "add", "--all")
  await run(target, process.env, "git", ...identity, "commit", "--quiet", "--message", "As it is")
}
