/**
 * The packages that `npm start` and `npm test` install.
 */
import { assert, describe, it } from "@effect/vitest"
import { installCommand } from "../scripts/setup.js"

const modules = (devDependencies: boolean): string =>
  JSON.stringify({ included: { dependencies: true, devDependencies } }, undefined, 2)

describe("setup", () => {
  it("installs only what the server runs on, where nothing else is there", () => {
    assert.include(installCommand(true, ""), "--prod")
    assert.include(installCommand(true, modules(false)), "--prod")
  })

  it("leaves the tools of development where they are", () => {
    assert.notInclude(installCommand(true, modules(true)), "--prod")
  })

  it("installs everything for the tests, also after a start", () => {
    assert.notInclude(installCommand(false, ""), "--prod")
    assert.notInclude(installCommand(false, modules(false)), "--prod")
  })
})
