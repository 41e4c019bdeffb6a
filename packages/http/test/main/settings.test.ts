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
