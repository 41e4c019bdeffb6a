/**
 * The actions that the workflows call are there, and are what they were when they were looked at.
 */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const folder = join(root, ".github", "workflows")
const workflows = readdirSync(folder).map(
  (file) => [file, readFileSync(join(folder, file), "utf8")] as const
)

/** The matches of the expression's first group, with their workflow. */
const found = (expression: RegExp): ReadonlyArray<readonly [file: string, text: string]> =>
  workflows.flatMap(([file, text]) =>
    [...text.matchAll(expression)].map(([, group]) => [file, group!] as const)
  )

describe("workflows", () => {
  it("name actions by commit, for a tag may be moved", () => {
    const loose = found(/uses: (.*)/g).filter(
      ([, action]) => !action.startsWith("./") && !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action)
    )
    assert.deepStrictEqual(loose, [])
  })

  it("run scripts that there are", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    const missing = found(/npm run (?:-s )?([\w:-]+)/g).filter(([, name]) => !(name in scripts))
    assert.deepStrictEqual(missing, [])
  })

  it("publish nothing that was not checked", () => {
    const release = new Map(workflows).get("release.yml") ?? ""
    assert.match(release, /check:\n +uses: \.\/\.github\/workflows\/check\.yml/)
    assert.match(release, /release:\n +needs: check\n/)
  })

  it("run both tiers, the second in shards, and stop what a newer push makes idle", () => {
    const check = new Map(workflows).get("check.yml") ?? ""
    assert.match(check, /run: npm test\n/)
    assert.match(check, /run: npm run test:all -- --shard=/)
    assert.match(check, /cancel-in-progress: \$\{\{ github\.event_name == 'pull_request' \}\}/)
  })

  it("draw from the commit, kill and cut the power each night", () => {
    const nightly = new Map(workflows).get("nightly.yml") ?? ""
    assert.match(nightly, /schedule:\n +- cron:/)
    assert.match(nightly, /npm run test:night/)
    assert.match(nightly, /test:crash -- --kills 200 --seed \$\(\(0x\$\{GITHUB_SHA::7\}\)\)/)
    assert.match(nightly, /power-cuts -- 200/)
  })
})
