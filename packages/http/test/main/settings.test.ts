/**
 * Where the settings have everything kept.
 */
import { assert, describe, it } from "@effect/vitest"
import { storeText } from "../../src/main/greeting.ts"
import { readSettings, settingRows } from "../../src/main/settings.ts"

const url = "postgres://trader:secret@db.example:5432/candlewick"

describe("the settings of the store", () => {
  it("keep everything in a directory by default", () => {
    assert.deepStrictEqual(readSettings({}).store, { type: "embedded", directory: "./data" })
    const { store } = readSettings({ CANDLEWICK_DATA_DIR: "/srv/candlewick" })
    assert.deepStrictEqual(store, { type: "embedded", directory: "/srv/candlewick" })
    assert.match(storeText(store), /\/srv\/candlewick; survives crashes and power loss/)
  })

  it("keep nothing where they are told so", () => {
    assert.deepStrictEqual(readSettings({ CANDLEWICK_DATA_DIR: ":memory:" }).store, {
      type: "memory"
    })
  })

  it("prefer a server that is named, and never show its password", () => {
    const { store } = readSettings({ DATABASE_URL: url, CANDLEWICK_DATABASE_CONNECTIONS: "4" })
    assert.deepStrictEqual(store, { type: "postgres", url, connectionsMax: 4 })
    assert.notInclude(storeText(store), "secret")
  })

  it("refuse what names no server", () => {
    assert.throws(() => readSettings({ DATABASE_URL: "db.example" }), /DATABASE_URL must be/)
    assert.throws(
      () => readSettings({ DATABASE_URL: url, CANDLEWICK_DATABASE_CONNECTIONS: "1" }),
      /CANDLEWICK_DATABASE_CONNECTIONS must be 2 to 200/
    )
  })
})

describe("the bounds of settings", () => {
  const faultsOf = (environment: Readonly<Record<string, string>>): ReadonlyArray<string> => {
    try {
      readSettings(environment)
      return []
    } catch (error) {
      return (error as Error).message.split("\n")
    }
  }

  for (const { bounds, kind, variable } of settingRows) {
    if (kind !== "integer") continue
    it(`of ${variable} are those that its page names`, () => {
      const [lowest, highest] = /^(\d+) to (\d+)/.exec(bounds)!.slice(1).map(Number)
      for (const fit of [lowest!, highest!]) {
        assert.deepStrictEqual(faultsOf({ [variable]: String(fit) }), [], String(fit))
      }
      for (const unfit of [lowest! - 1, highest! + 1, lowest! + 0.5, "many"]) {
        const [fault] = faultsOf({ [variable]: String(unfit) })
        assert.include(fault, `${variable} must be ${bounds}`, String(unfit))
      }
    })
  }

  it("are told of every variable that is beyond them, and no key is printed", () => {
    const wrong = {
      PORT: "seventy",
      HOST: "127.0.0.1",
      CANDLEWICK_API_KEY: "too-short-a-key",
      CANDLEWICK_ENCRYPTION_KEY: "not,base64",
      CANDLEWICK_KEY_LOST: "perhaps",
      CANDLEWICK_WEBHOOK_PORTS: "443,0",
      CANDLEWICK_PUBLIC_HOSTS: "a.example,b example"
    }
    const faults = faultsOf(wrong)
    const { HOST: _fit, ...unfit } = wrong
    assert.deepStrictEqual(
      faults.map((fault) => fault.split(" ")[0]!).toSorted(),
      Object.keys(unfit).toSorted()
    )
    const text = faults.join("\n")
    assert.include(text, 'and "0" is not allowed')
    assert.include(text, 'and "b example" is not allowed')
    assert.notInclude(text, "too-short-a-key")
    assert.notInclude(text, "not,base64")
  })

  it("leave a variable that is empty as one that is not set", () => {
    assert.deepStrictEqual(
      readSettings(Object.fromEntries(settingRows.map(({ variable }) => [variable, " "]))),
      readSettings({})
    )
  })
})

describe("the ranges that webhooks may reach", () => {
  const ranges = (text: string) =>
    readSettings({ CANDLEWICK_WEBHOOK_ALLOW_CIDRS: text }).webhookAllowCidrs

  it("are networks, and special addresses one by one", () => {
    const text = "10.0.0.0/8, 127.0.0.1/32,::1/128"
    assert.deepStrictEqual(ranges(text), ["10.0.0.0/8", "127.0.0.1/32", "::1/128"])
    assert.deepStrictEqual(ranges(""), [])
  })

  it("stop the start where one would open nothing, or is no range", () => {
    for (const unfit of [
      "127.0.0.0/8",
      "169.254.0.0/16",
      "fe80::/10",
      "300.0.0.0/8",
      "10.0.0.0/33"
    ]) {
      assert.throws(
        () => ranges(`10.0.0.0/8,${unfit}`),
        `CANDLEWICK_WEBHOOK_ALLOW_CIDRS must be addresses with a prefix length, separated by commas, and "${unfit}" is not allowed`
      )
    }
  })
})
