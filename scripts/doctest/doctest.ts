/**
 * Checks the code of the documentation: fences of README files, of docs/ and of doc comments.
 *
 * Programs are type-checked, run from the root of the repository, and compared with the output that
 * the page shows. `no-run` after the language leaves the run out.
 *
 */
import { execFile } from "node:child_process"
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { repositoryFiles, root } from "../tests/files.ts"
import { runCommand } from "../tests/runCommand.ts"
import { type Fence, fencesOf, fencesOfComments } from "./fences.ts"
import { type Program, programsOf } from "./programs.ts"

const home = join(root, "test/doctest")
const defaultFolder = join(home, ".programs")

/** The pages and modules whose fences are checked. */
export const documentedFiles = (): ReadonlyArray<string> =>
  repositoryFiles().filter(
    (path) =>
      /^(?:[^/]*|docs\/.*|packages\/[^/]+\/README)\.md$/.test(path) ||
      /^packages\/[^/]+\/src\/.*\.ts$/.test(path)
  )

/** The fences of a page, or of the comments of a module. */
export const fencesIn = (path: string): ReadonlyArray<Fence> => {
  const text = readFileSync(join(root, path), "utf8")
  return path.endsWith(".md") ? fencesOf(path, text) : fencesOfComments(path, text)
}

const namesOf = (setup: string): ReadonlyArray<string> =>
  [
    ...readFileSync(join(home, `setups/${setup}.ts`), "utf8").matchAll(
      /^export (?:declare )?(?:const|class|function) (\w+)/gm
    )
  ].map(([, name]) => name!)

/** The programs of these files. */
export const programsIn = (paths: ReadonlyArray<string>): ReadonlyArray<Program> =>
  paths.flatMap((path) => programsOf(fencesIn(path), namesOf))

const packages = globSync("packages/*/tsconfig.json", { cwd: root })

/**
 * Writes the programs where the packages can be imported by their names.
 *
 * Two processes that check at the same time need two folders.
 */
export const writePrograms = (programs: ReadonlyArray<Program>, folder = defaultFolder): void => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const { code, file } of programs) writeFileSync(join(folder, file), code)
  const config = {
    extends: "../../../tsconfig.checks.json",
    compilerOptions: {
      rootDir: "../../..",
      checkJs: false,
      tsBuildInfoFile: "../../../node_modules/.cache/doctest.tsbuildinfo"
    },
    include: ["*.ts", "../setups/*.ts", "../src/*.ts"],
    references: packages.map((path) => ({ path: `../../../${path}` }))
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
}

/** The compiler's messages on the written programs; empty where all is well. */
export const typeFaults = async (folder = defaultFolder): Promise<string> => {
  const { isSuccess, output } = await runCommand(["tsc", "-b", folder])
  return isSuccess ? "" : output
}

const secondsMax = 60

/** The fault of a written program: its exit, or its output. */
export const runFault = (
  { file, output, place }: Program,
  folder = defaultFolder,
  interpreter = process.execPath
): Promise<string | null> =>
  new Promise((resolve) => {
    const options = { cwd: root, timeout: secondsMax * 1_000 }
    execFile(interpreter, [join(folder, file)], options, (error, printed, said) => {
      if (error !== null) {
        resolve(`${place} ${error.killed === true ? "does not end" : "fails"}\n${printed}${said}`)
      } else if (output === null || printed.trimEnd() === output.trimEnd()) resolve(null)
      else resolve(`${place}\n--- the page says\n${output}\n--- it prints\n${printed}`)
    })
  })
