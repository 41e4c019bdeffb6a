/**
 * A release from end to end: versions, packing, publishing, and use by a host.
 */
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { root } from "../scripts/tests/files.ts"
import { runCommand } from "../scripts/tests/runCommand.ts"

const threeQuartersOfAnHour = 2_700_000

it("publishes packages that their users can run", { timeout: threeQuartersOfAnHour }, async () => {
  const { isSuccess, output } = await runCommand(["node", join(root, "scripts", "releaseCheck.ts")])
  assert.isTrue(isSuccess, output)
  assert.match(output, /^ok {4}published .*@candlewick\/core@/m)
})
