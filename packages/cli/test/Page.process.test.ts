/**
 * Each command of the page prints what the page says, one after another in an empty folder.
 */
import { assert, it } from "@effect/vitest"
import { copyFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { makeFolder, run, sample, withoutIds } from "./commandLine.ts"

const page = readFileSync(
  fileURLToPath(new URL("../../../docs/command-line.md", import.meta.url)),
  "utf8"
)

it("prints what docs/command-line.md says", async () => {
  const cwd = makeFolder()
  copyFileSync(sample, join(cwd, "btc.csv"))
  const blocks = [...page.matchAll(/```console\n\$ candlewick (.*)\n([^`]*)```/g)]
  assert.isAbove(blocks.length, 5)
  for (const [, line, wanted] of blocks) {
    const { stderr, stdout } = await run(line!.split(" "), { cwd })
    assert.strictEqual(withoutIds(stdout + stderr).trimEnd(), wanted!.trimEnd(), line)
  }
})
