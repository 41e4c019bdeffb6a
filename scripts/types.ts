/**
 * Checks the types of everything, and prints errors alone.
 *
 * Suggestions are an editor's: among forty of them nobody sees the line that is wrong. The option
 * `includeSuggestionsInTsc` is no way out, for without it the compiler finds errors that are none.
 */
import { runCommand } from "./tests/runCommand.ts"

// Checkers side by side each resolve the types of Effect: four take half as much time again.
const { isSuccess, output } = await runCommand(["tsc", "-b", "--checkers", "1"])
const lines = output.split("\n").filter((line) => line !== "" && !/: suggestion TS\d+:/.test(line))
if (lines.length > 0) console.log(lines.join("\n"))
process.exitCode = isSuccess ? 0 : 1
