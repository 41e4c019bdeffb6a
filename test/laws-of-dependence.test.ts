/**
 * The laws of dependence are lint rules: each is seen here to refuse a planted violation.
 */
import { execFile } from "node:child_process"
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, describe, it } from "@effect/vitest"

const run = promisify(execFile)
const root = join(dirname(fileURLToPath(import.meta.url)), "..")

interface Violation {
  readonly law: string
  readonly file: string
  readonly source: string
  readonly message: string
}

const planted = "Planted"

const violations: ReadonlyArray<Violation> = [
  {
    law: "kernel/ imports no Effect",
    file: `packages/engine/src/kernel/${planted}1.ts`,
    source: `import { Option } from "effect"\nexport const planted = Option.none()\n`,
    message: "kernel/ is numbers in, numbers out"
  },
  {
    law: "kernel/ imports no language",
    file: `packages/engine/src/kernel/${planted}2.ts`,
    source: `import { Fault } from "../language/Fault.ts"\nexport const planted = Fault\n`,
    message: "kernel/ is numbers in, numbers out"
  },
  {
    law: "kernel/ knows no clock",
    file: `packages/engine/src/kernel/${planted}3.ts`,
    source: `export const planted = new Date(0)\n`,
    message: "A kernel gets its times as numbers"
  },
  {
    law: "domain/ imports no service",
    file: `packages/core/src/domain/${planted}.ts`,
    source: `import { Bots } from "../services/bots/Bots.ts"\nexport const planted = Bots\n`,
    message: "domain/ is words"
  },
  {
    law: "plan/ imports no port",
    file: `packages/engine/src/plan/${planted}.ts`,
    source: `import { BotStore } from "../ports/BotStore.ts"\nexport const planted = BotStore\n`,
    message: "language/ and plan/ are pure"
  },
  {
    law: "fast/ imports no service",
    file: `packages/engine/src/fast/${planted}.ts`,
    source: `import { Bots } from "../services/bots/Bots.ts"\nexport const planted = Bots\n`,
    message: "fast/ runs anywhere"
  },
  {
    law: "fast/ knows no Effect",
    file: `packages/engine/src/fast/${planted}.ts`,
    source: `import { Effect } from "effect"\nexport const planted = Effect.void\n`,
    message: "fast/ runs anywhere"
  },
  {
    law: "research/ imports no service",
    file: `packages/engine/src/research/${planted}.ts`,
    source: `import { Bots } from "../services/bots/Bots.ts"\nexport const planted = Bots\n`,
    message: "research/ is pure"
  },
  {
    law: "ports/ have no layer",
    file: `packages/core/src/ports/${planted}.ts`,
    source: `import { Layer } from "effect"\nexport const planted = Layer.empty\n`,
    message: "A port is a declaration"
  },
  {
    law: "services/ import no adapter",
    file: `packages/core/src/services/${planted}.ts`,
    source: `import { MemoryStore } from "@candlewick/store-memory"\nexport const planted = MemoryStore\n`,
    message: "services/ know the core and no adapter"
  },
  {
    law: "testing/ imports no service",
    file: `packages/core/src/testing/${planted}.ts`,
    source: `import { Bots } from "../services/bots/Bots.ts"\nexport const planted = Bots\n`,
    message: "testing/ proves ports"
  },
  {
    law: "a store imports no other adapter",
    file: `packages/store-memory/src/${planted}.ts`,
    source: `import { Webhooks } from "@candlewick/webhooks"\nexport const planted = Webhooks\n`,
    message: "Adapters know core and no other adapter"
  },
  {
    law: "webhooks import no other adapter",
    file: `packages/webhooks/src/${planted}.ts`,
    source: `import { MemoryStore } from "@candlewick/store-memory"\nexport const planted = MemoryStore\n`,
    message: "Adapters know core and no other adapter"
  },
  {
    law: "the server imports no adapter outside main/",
    file: `packages/http/src/server/${planted}.ts`,
    source: `import { MemoryStore } from "@candlewick/store-memory"\nexport const planted = MemoryStore\n`,
    message: "The server drives core"
  },
  {
    law: "http/api/ imports no services",
    file: `packages/http/src/api/${planted}.ts`,
    source: `import { Bots } from "@candlewick/core"\nexport const planted = Bots\n`,
    message: "api/ is the definition"
  },
  {
    law: "verify stands alone",
    file: "packages/webhooks/src/verify.ts",
    source: `import { Effect } from "effect"\nexport const planted = Effect.void\n`,
    message: "verify stands alone"
  },
  {
    law: "randomness is seeded",
    file: `packages/core/src/services/${planted}2.ts`,
    source: `export const planted = Math.random()\n`,
    message: "Randomness is seeded"
  },
  {
    law: "time comes from the Clock",
    file: `packages/webhooks/src/${planted}2.ts`,
    source: `export const planted = Date.now()\n`,
    message: "Time comes from Effect's Clock"
  }
]

/** Planted in a copy of the rules' world, so that the tree itself is never touched. */
const world = join(root, "node_modules", ".cache", "planted")

const lint = async (file: string): Promise<string> => {
  try {
    const { stdout } = await run(
      join(root, "node_modules/.bin/oxlint"),
      ["--no-ignore", "--config", join(world, ".oxlintrc.json"), file],
      { cwd: world }
    )
    return stdout
  } catch (error) {
    return (error as { readonly stdout: string }).stdout
  }
}

describe("the laws of dependence", () => {
  afterAll(() => rm(world, { recursive: true, force: true }))

  for (const { law, file, source, message } of violations) {
    it(`refuses a violation: ${law}`, async () => {
      await mkdir(join(world, dirname(file)), { recursive: true })
      await copyFile(join(root, ".oxlintrc.json"), join(world, ".oxlintrc.json"))
      await writeFile(join(world, file), source)
      const said = await lint(file)
      assert.include(said, message)
    })
  }
})
