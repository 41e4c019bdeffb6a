/**
 * Installs what the workspace needs, with the pnpm of one version. JavaScript, because it is all
 * that the Node of the host must be able to run: the workspace's own Node comes with the install.
 *
 *   node scripts/setup.js             everything that tests and checks need
 *   node scripts/setup.js --server    what the server and the examples run on
 */
import { execSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The pnpm that installs, packs and publishes here. */
export const pnpm = "pnpm@12.21.0"

/**
 * The command that installs.
 *
 * Where the tools of development are installed they stay, whatever was asked for: a server that
 * is started between two runs of the tests must not take them away.
 *
 * @param {boolean} forServer whether what the server runs on is enough
 * @param {string} installed what pnpm wrote about the last install, or nothing
 */
export const installCommand = (forServer, installed) => {
  const all = `npx --yes ${pnpm} install --frozen-lockfile --silent`
  const hasTools = /"?devDependencies"?: true/.test(installed)
  // The only script that runs outside development patches the compiler, which is left out then.
  return forServer && !hasTools ? `${all} --prod --ignore-scripts` : all
}

/** @param {string} path */
const readIfThere = (path) => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

const file = fileURLToPath(import.meta.url)
if (process.argv[1] === file) {
  const root = join(file, "..", "..")
  const installed = readIfThere(join(root, "node_modules", ".modules.yaml"))
  const command = installCommand(process.argv.includes("--server"), installed)
  try {
    execSync(command, { cwd: root, stdio: "inherit" })
  } catch {
    console.error(`The install failed: ${command}`)
    process.exitCode = 1
  }
}
