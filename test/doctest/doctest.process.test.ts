/**
 * The code of the documentation: programs compile, run and print what their pages show; the
 * walk-throughs work on a server; shells can read each script.
 */
import type { ChildProcess } from "node:child_process"
import { cpSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import {
  documentedFiles,
  fencesIn,
  programsIn,
  runFault,
  typeFaults,
  writePrograms
} from "../../scripts/doctest/doctest.ts"
import { placeOf } from "../../scripts/doctest/fences.ts"
import { outputsOf } from "../../scripts/doctest/programs.ts"
import { apiKey, freePort, startServer, stopServer } from "../../scripts/examples.ts"
import { root } from "../../scripts/tests/files.ts"
import { runShell } from "./shell.ts"

const programs = programsIn(documentedFiles())
const fences = documentedFiles().flatMap(fencesIn)
const shells = fences.filter(({ language }) => language === "sh" || language === "bash")

beforeAll(() => writePrograms(programs))

describe("programs of the documentation", () => {
  it("compile", { timeout: 1_200_000 }, async () => {
    assert.strictEqual(await typeFaults(), "")
  })

  for (const program of programs.filter(({ isRun }) => isRun)) {
    it(`${program.place} runs as its page says`, async () => {
      assert.isNull(await runFault(program))
    })
  }
})

/** A Python with the libraries that the migration pages name; the tests run where there is one. */
const python = process.env["CANDLEWICK_PYTHON"] ?? ""

describe.skipIf(python === "")("programs in Python", () => {
  for (const program of programs.filter(({ file }) => file.endsWith(".py"))) {
    it(`${program.place} prints what its page shows`, async () => {
      assert.isNotNull(program.output)
      assert.isNull(await runFault(program, undefined, python))
    })
  }
})

describe("scripts of the documentation", () => {
  it("can be read by a shell", async () => {
    assert.isAbove(shells.length, 15)
    for (const fence of shells) {
      const { stderr } = await runShell(`bash -n <<'END'\n${fence.text}\nEND`, root)
      assert.strictEqual(stderr, "", placeOf(fence))
    }
  })

  const commandLine = join(root, "packages/cli/src/main/candlewick.ts")
  const inFolder = fences.filter(
    ({ language, text }) => language === "console" && text.startsWith("$ npm run -s candlewick -- ")
  )

  it("of the command line print what their pages show", { timeout: 600_000 }, async () => {
    assert.isAbove(inFolder.length, 1)
    const cwd = mkdtempSync(join(tmpdir(), "candlewick-doctest-"))
    cpSync(join(root, "samples"), join(cwd, "samples"), { recursive: true })
    for (const fence of inFolder) {
      const [line, ...shown] = fence.text.split("\n")
      const command = line!.replace(
        "$ npm run -s candlewick --",
        `"${process.execPath}" "${commandLine}"`
      )
      const { stderr, stdout } = await runShell(command, cwd)
      const printed = (stdout + stderr).replaceAll(/\b([a-z]+_)[0-9A-HJKMNP-TV-Z]{26}\b/g, "$1…")
      assert.strictEqual(printed.trimEnd(), shown.join("\n"), placeOf(fence))
    }
  })
})

describe("the walk-through", () => {
  let server: ChildProcess
  let port = 0

  beforeAll(async () => {
    port = await freePort()
    server = await startServer(port)
  })

  afterAll(async () => {
    await stopServer(server)
  })

  for (const page of ["README.md", "docs/start.md", "docs/from-tradingview.md"]) {
    it(`in ${page} works from its first line to its last`, { timeout: 600_000 }, async () => {
      const all = fencesIn(page)
      const scripts = all.filter(
        ({ language, words }) => language === "sh" && !words.includes("no-run")
      )
      const script = scripts.map(({ text }) => text).join("\n")
      assert.include(script, "URL=")
      const { code, stderr, stdout } = await runShell(
        script
          .replaceAll("http://127.0.0.1:8080", `http://127.0.0.1:${port}`)
          .replaceAll("cw_live_…", apiKey),
        root
      )
      assert.strictEqual(code, 0, stderr)
      assert.notMatch(stdout, /^undefined$/m, stdout)
      const outputs = outputsOf(all)
      for (const one of scripts) assert.include(stdout, outputs.get(one) ?? "")
    })
  }
})
