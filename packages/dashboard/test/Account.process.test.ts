/**
 * The account, its keys and its kill switch, in a real browser against the real server.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { hasBrowser } from "./browser.ts"
import { looks, setStage, signIn, type Stage, until } from "./walk.ts"

describe.runIf(hasBrowser)("the account in a browser", () => {
  let stage: Stage

  beforeAll(async () => {
    stage = await setStage()
  }, 120_000)

  afterAll(() => stage.end())

  for (const [theme, width] of looks) {
    it(`shows the account, ${theme} and ${width} wide`, async () => {
      const walk = await stage.open({ theme, width })
      await signIn(walk, stage.url)
      await walk.go("account", "Account")
      await walk.page.getByRole("table", { name: "API keys" }).waitFor()
      await walk.check(`account-${theme}-${width}`)
      await walk.end()
    })
  }

  it("halts everything with a reason, and ends the halt", async () => {
    const walk = await stage.open()
    const { page } = walk
    await signIn(walk, stage.url)
    await walk.go("account", "Account")
    await page.getByRole("button", { name: "Halt the account" }).press("Enter")
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Reason").fill("A storm comes")
    await walk.check("account-halt")
    await dialog.getByRole("button", { name: "Halt everything" }).press("Enter")
    const told = page.getByRole("alert")
    await told.waitFor()
    assert.include(await told.textContent(), "A storm comes")
    const halted = await stage.call("GET", "/v1/account")
    assert.deepStrictEqual([halted.is_halted, halted.halted_reason], [true, "A storm comes"])
    await page.getByRole("button", { name: "End the halt" }).press("Enter")
    await dialog.getByRole("button", { name: "End the halt" }).press("Enter")
    await page.getByRole("button", { name: "Halt the account" }).waitFor()
    await until(
      () => stage.call("GET", "/v1/account"),
      ({ is_halted: isHalted }) => isHalted === false
    )
    await walk.end()
  })

  it("issues a key that works once it is copied, and revokes it", async () => {
    const walk = await stage.open()
    const { page } = walk
    await signIn(walk, stage.url)
    await walk.go("account", "Account")
    await page.getByRole("button", { name: "Issue a key" }).press("Enter")
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Name").fill("A reader")
    await dialog.getByRole("button", { name: "Issue" }).press("Enter")
    const secret = page.locator("code.secret")
    await secret.waitFor()
    const text = (await secret.textContent()) ?? ""
    const ask = async () => {
      const headers = { authorization: `Bearer ${text}` }
      return (await fetch(`${stage.url}/api/v1/bots`, { headers })).status
    }
    assert.strictEqual(await ask(), 200)
    await walk.check("account-issued")
    await page.getByRole("button", { name: "Revoke A reader" }).press("Enter")
    await dialog.getByRole("button", { name: "Revoke" }).press("Enter")
    await page.getByRole("cell", { name: "revoked" }).waitFor()
    assert.strictEqual(await ask(), 401)
    await walk.end()
  })
})
