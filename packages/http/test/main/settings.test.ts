/**
 * Where the settings have everything kept.
 */
import { assert, describe, it } from "@effect/vitest"
import { storeText } from "../../src/main/greeting.ts"
import { readSettings } from "../../src/main/settings.ts"

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
        `CANDLEWICK_WEBHOOK_ALLOW_CIDRS must be addresses with a prefix length, separated by commas, and "${unfit}" is none`
      )
    }
  })
})
