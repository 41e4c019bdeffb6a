/**
 * Installs what the workspace needs, with the pnpm of one version, and builds the dashboard.
 * JavaScript, because it is all that the Node of the host must be able to run: the workspace's own
 * Node comes with the install.
 *
 *   node scripts/setup.js             everything that tests and checks need
 *   node scripts/setup.js --server    what the server and the examples run on
 */
import { execSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"

/** The pnpm that installs, packs and publishes here. */
export const pnpm = "pnpm@12.21.0"

/**
 * The command that installs.
 *
 * Installed tools of development stay, whatever was asked for. A server that is started between two
 * runs of the tests must not take them away.
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

/** The command that builds the dashboard; where no source of it has changed, it ends at once. */
const buildCommand = "node packages/dashboard/build.ts"

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
    process.exit(1)
  }
  // By the Node that was installed, where there is one: that of the host may read no TypeScript.
  const path = [join(root, "node_modules", ".bin"), process.env["PATH"] ?? ""].join(delimiter)
  try {
    execSync(buildCommand, { cwd: root, stdio: "inherit", env: { ...process.env, PATH: path } })
  } catch {
    console.error(`The dashboard was not built, and is not served: ${buildCommand}`)
  }
}
