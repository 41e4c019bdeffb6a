/**
 * Changes one file in many small ways, and says which changes the tests beside it do not notice.
 *
 *   npm run mutants                              the areas of mutants/areas.ts, with their scores
 *   npm run mutants -- packages/engine/src/kernel/decide.ts
 *   npm run mutants -- packages/core/src/services/bots/botRunner.ts test/stories/runner.test.ts
 *
 * A score is the share of changes that the tests notice, without those of mutants/equivalents.ts.
 * The command fails where the score of an area is below its minimum.
 *
 * StrykerJS changes the file where it stands and puts it back. It is no dependency, because only
 * this command needs its 64 MB: the first run installs it into the cache. Texts stay as they are,
 * because most of them are for readers.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { areas, scoreMinPercent } from "./mutants/areas.ts"
import { equivalents } from "./mutants/equivalents.ts"
import { type FileReport, scoreOf } from "./mutants/score.ts"
import { gitLines, repositoryFiles, root } from "./tests/files.ts"
import { runCommand } from "./tests/runCommand.ts"

const version = "10.1.1"
const folder = join(root, "node_modules", ".cache", "stryker")
const report = join(folder, "report.json")

/** The tests that are named after a file. */
export const testsBeside = (file: string, all: ReadonlyArray<string>): ReadonlyArray<string> => {
  const wanted = `${basename(file, ".ts")}.test.ts`.toLowerCase()
  return all.filter((path) => basename(path).toLowerCase() === wanted)
}

/** Why a file can't be changed now, or null. */
export const refusalOf = (
  file: string,
  tests: ReadonlyArray<string>,
  { all, changed }: { readonly all: ReadonlyArray<string>; readonly changed: ReadonlyArray<string> }
): string | null => {
  const missing = [file, ...tests].find((path) => !all.includes(path))
  if (missing !== undefined) return `There is no file ${missing}.`
  // Git has the file as it was, however a run ends in its middle.
  if (changed.includes(file)) return `Commit ${file} first.`
  if (tests.length === 0)
    return `No test is named after ${file}; name the tests that are to notice.`
  return null
}

const readIfThere = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

const install = async (): Promise<void> => {
  const names = ["core", "vitest-runner"].map((name) => `@stryker-mutator/${name}`)
  const manifest = {
    private: true,
    dependencies: Object.fromEntries(names.map((name) => [name, version]))
  }
  const path = join(folder, "package.json")
  const text = `${JSON.stringify(manifest, null, 2)}\n`
  const installed = join(folder, "installed.json")
  if (readIfThere(installed) === text) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(path, text)
  // Without its peers, so that it finds the vitest of the workspace above it.
  const flags = ["--legacy-peer-deps", "--ignore-scripts", "--no-audit", "--no-fund"]
  const { isSuccess, output } = await runCommand(["npm", "install", "--prefix", folder, ...flags])
  if (!isSuccess) throw new Error(`StrykerJS could not be installed:\n${output}`)
  writeFileSync(installed, text)
}

/** Writes what StrykerJS and vitest are told, and gives the path of the first. */
const configure = (
  file: string,
  tests: ReadonlyArray<string>,
  reporters: ReadonlyArray<string>
): string => {
  const plugin = join(folder, "node_modules", "@stryker-mutator", "vitest-runner")
  const vitestConfig = join(folder, "vitest.config.ts")
  const config = {
    mutate: [file],
    mutator: { excludedMutations: ["StringLiteral"] },
    testRunner: "vitest",
    plugins: [join(plugin, "dist", "src", "index.js")],
    vitest: { configFile: relative(root, vitestConfig), related: false },
    inPlace: true,
    disableTypeChecks: false,
    coverageAnalysis: "perTest",
    reporters,
    logLevel: "error",
    jsonReporter: { fileName: relative(root, report) },
    clearTextReporter: { allowColor: false, logTests: false },
    tempDirName: relative(root, join(folder, "tmp"))
  }
  writeFileSync(
    vitestConfig,
    `import { defineConfig } from "vitest/config"\n\n` +
      `export default defineConfig({ test: { include: ${JSON.stringify(tests)} } })\n`
  )
  const path = join(folder, "stryker.config.json")
  writeFileSync(path, JSON.stringify(config, null, 2))
  return path
}

/** Runs StrykerJS. The first signal ends it, and this only after it has put the file back. */
const runToItsEnd = async (args: ReadonlyArray<string>): Promise<boolean> => {
  // In a group of its own, for a second signal would end it before the file is back.
  const child = spawn(process.execPath, args, { cwd: root, stdio: "inherit", detached: true })
  let isEnding = false
  const end = (): void => {
    if (!isEnding) child.kill("SIGTERM")
    isEnding = true
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end)
  const [code] = await once(child, "close")
  // Its own processes leave them where they were ended.
  const left = readdirSync(root).filter((name) => /^stryker-setup-\d+\.js$/.test(name))
  for (const name of left) rmSync(join(root, name))
  return code === 0
}

/** Whether the file could be changed and tested; its report is in the cache then. */
const tryChanges = async (
  file: string,
  tests: ReadonlyArray<string>,
  reporters: ReadonlyArray<string>
): Promise<boolean> => {
  const changed = [
    ...gitLines("diff", "HEAD", "--name-only"),
    ...gitLines("ls-files", "--others", "--exclude-standard")
  ]
  const refusal = refusalOf(file, tests, { all: repositoryFiles(), changed })
  if (refusal !== null) {
    console.error(refusal)
    return false
  }
  await install()
  const stryker = join(folder, "node_modules", "@stryker-mutator", "core", "bin", "stryker.js")
  return runToItsEnd([stryker, "run", configure(file, tests, reporters)])
}

const tryFile = (given: string, named: ReadonlyArray<string>): Promise<boolean> => {
  const [file, ...own] = [given, ...named].map((path) => relative(root, resolve(path))) as [
    string,
    ...Array<string>
  ]
  const tests = own.length > 0 ? own : testsBeside(file, repositoryFiles())
  console.log(`${file}, against ${tests.join(", ")}`)
  return tryChanges(file, tests, ["clear-text"])
}

/** Runs every area, or those whose name has a word, and prints a line for each. */
const tryAreas = async (word = ""): Promise<boolean> => {
  let isGood = true
  for (const { file, name, tests } of areas.filter(({ name }) => name.includes(word))) {
    if (!(await tryChanges(file, tests, ["json"]))) return false
    const { files } = JSON.parse(readFileSync(report, "utf8")) as {
      readonly files: Readonly<Record<string, FileReport>>
    }
    const score = scoreOf(files[file]!, equivalents[file] ?? [])
    const isEnough = score.percent >= scoreMinPercent
    isGood &&= isEnough && score.unused.length === 0
    const counts = `${score.noticed} of ${score.counted}, ${score.equivalent} equivalent`
    console.log(
      `${score.percent.toFixed(1).padStart(5)} %  ${name}: ${counts}${isEnough ? "" : " BELOW"}`
    )
    for (const one of score.survivors) console.log(`         ${file}:${one}`)
    for (const one of score.unused) console.log(`         no such change: ${one}`)
  }
  return isGood
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file, ...tests] = process.argv.slice(2)
  const isArea = file === undefined || !file.includes("/")
  process.exitCode = (await (isArea ? tryAreas(file) : tryFile(file, tests))) ? 0 : 1
}
