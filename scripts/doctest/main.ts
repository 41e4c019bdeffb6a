/**
 * Checks and runs the code of the documentation.
 *
 *   node scripts/doctest/main.ts [--no-types] [page …]
 */
import { documentedFiles, programsIn, runFault, typeFaults, writePrograms } from "./doctest.ts"

const asked = process.argv.slice(2).filter((word) => !word.startsWith("--"))
const programs = programsIn(asked.length > 0 ? asked : documentedFiles())
writePrograms(programs)
const faults: Array<string> = []
if (!process.argv.includes("--no-types")) faults.push(await typeFaults())
for (const program of programs) {
  if (!program.isRun) continue
  const fault = await runFault(program)
  console.log(`${fault === null ? "ok  " : "FAIL"}  ${program.place}`)
  if (fault !== null) faults.push(fault)
}
const told = faults.filter((fault) => fault !== "")
for (const fault of told) console.error(fault)
process.exitCode = told.length === 0 ? 0 : 1
