/**
 * A Python that has the libraries of `requirements.txt`. It is the machine's own where that has
 * them, or a virtual environment, made once and kept in the user's folder of caches.
 */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const run = promisify(execFile)
const isWindows = process.platform === "win32"
const systemPython = process.env["PYTHON"] ?? (isWindows ? "python" : "python3")
const installMs = 10 * 60_000
const requirementsPath = fileURLToPath(new URL("requirements.txt", import.meta.url))
const requirements = readFileSync(requirementsPath, "utf8")

/** The version that a package is pinned to. */
export const pinnedVersion = (name: string): string =>
  new RegExp(`^${name}==(.+)$`, "m").exec(requirements)?.[1] ?? "unknown"

/** Where Python is, and what it may write caches to. */
export interface FoundPython {
  readonly python: string
  readonly cache: string
}

const listsVersions = `
import sys
from importlib.metadata import version, PackageNotFoundError
for line in open(sys.argv[1]):
    name, _, pinned = line.strip().partition("==")
    if pinned and version(name) != pinned:
        raise SystemExit(1)
`

const isComplete = async (python: string): Promise<boolean> => {
  try {
    await run(python, ["-c", listsVersions, requirementsPath])
    return true
  } catch {
    return false
  }
}

const cacheFolder = (): string => {
  const digest = createHash("sha256").update(requirements).digest("hex").slice(0, 12)
  const caches = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache")
  return join(caches, "candlewick-bench", `python-${digest}`)
}

const install = async (folder: string, python: string, ready: string): Promise<void> => {
  console.error(`installing vectorbt and backtesting.py into ${folder} (once, about 900 MB)`)
  // The rest of an interrupted installation.
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await run(systemPython, ["-m", "venv", join(folder, "venv")])
  const settings = "--quiet --disable-pip-version-check --retries 1 --only-binary :all:".split(" ")
  await run(python, ["-m", "pip", "install", ...settings, "--requirement", requirementsPath], {
    timeout: installMs,
    maxBuffer: 1 << 26
  })
  writeFileSync(ready, "")
}

const lastLine = (error: unknown): string => {
  const text =
    error instanceof Error && "stderr" in error && String(error.stderr).trim() !== ""
      ? String(error.stderr)
      : String(error)
  return text.trim().split("\n").at(-1) ?? text
}

/** Python with the libraries, or why there is none. */
export const findPython = async (): Promise<FoundPython | { readonly reason: string }> => {
  const folder = cacheFolder()
  const python = join(
    folder,
    "venv",
    ...(isWindows ? ["Scripts", "python.exe"] : ["bin", "python"])
  )
  const ready = join(folder, "ready")
  const cache = join(folder, "compiled")
  if (existsSync(ready) && existsSync(python)) return { python, cache }
  if (await isComplete(systemPython)) return { python: systemPython, cache }
  try {
    await install(folder, python, ready)
    return { python, cache }
  } catch (error) {
    return { reason: lastLine(error) }
  }
}
