/**
 * The look at a page's layout finds planted faults, and finds none where a page is well.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Browser } from "playwright-core"
import { hasBrowser, openBrowser } from "./browser.ts"
import { layoutFaultsOf } from "./layout.ts"

const faults: Readonly<Record<string, readonly [page: string, fault: RegExp]>> = {
  "two texts at one place": [
    `<p>First</p><p style="margin-top: -1.4em">Second</p>`,
    /^lie over one another: First \| Second$/
  ],
  "a text that runs out of its place into the next": [
    `<div style="display: grid; grid-template-columns: 60px 60px; white-space: nowrap">
      <span>2024-01-05 04:00</span><span>2024-01-06 05:00</span>
    </div>`,
    /^lie over one another: 2024-01-05 04:00 \| 2024-01-06 05:00$/
  ],
  "the lines of one text over one another": [
    `<p style="line-height: 6px; width: 40px">First Second</p>`,
    /^lie over one another: First Second \| First Second$/
  ],
  "figures without a gap": [
    `<dl style="display: flex"><div><dt>Ten</dt></div><div><dt>Twenty</dt></div></dl>`,
    /^lie over one another: Ten \| Twenty$/
  ],
  "a text over a field": [
    `<label>Threshold<input style="margin-left: -40px"></label>`,
    /^lie over one another: Threshold \| <input/
  ],
  "a text in a dialog over another": [
    `<dialog id="open"><p>First</p><p style="margin-top: -1.4em">Second</p></dialog>
    <script>document.getElementById("open").showModal()</script>`,
    /^lie over one another: First \| Second$/
  ],
  "a page that is wider than its window": [
    `<div style="width: 500px">wide</div>`,
    /^scrolls sideways: <html/
  ],
  "a part that scrolls sideways": [
    `<div style="overflow: auto"><div style="width: 500px">wide</div></div>`,
    /^scrolls sideways: <div/
  ],
  "a button that is cut where a text would end in dots": [
    `<div style="overflow: hidden; width: 80px; white-space: nowrap; text-overflow: ellipsis">
      <span style="display: flex"><button>Change</button><button>Remove</button></span></div>`,
    /^is cut: <button class=""> Remove$/
  ],
  "a cell whose line is not its row's": [
    `<table><tbody><tr><td style="padding: 9px">GBP/USD</td>
      <td style="display: flex">1h</td></tr></tbody></table>`,
    /^ends beside its row: <td class=""> 1h$/
  ],
  "a number over its card's edge": [
    `<section class="card" style="width: 60px"><b>−148,441.95</b></section>`,
    /^runs over its edge: −148,441.95$/
  ],
  "a number over its cell's edge": [
    `<table style="display: block"><tbody style="display: block"><tr style="display: grid">
      <td style="display: block; width: 40px">148,441.95</td></tr></tbody></table>`,
    /^runs over its edge: 148,441.95$/
  ],
  "a number over two lines": [
    `<p style="width: 70px; overflow-wrap: anywhere">148,679.89</p>`,
    /^is broken: 148,679.89$/
  ],
  "a text that is cut without a sign": [
    `<div style="overflow: hidden; width: 40px; white-space: nowrap">a long text</div>`,
    /^is cut: <div/
  ]
}

const well = `
  <style>.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden }</style>
  <p class="hidden">for ears alone</p><p>First</p><p>Second <b>bold</b><i>slanted</i></p>
  <section class="card" style="width: 60px; overflow-wrap: anywhere">148.89 148.89 id1_5675675675</section>
  <p style="overflow: hidden; width: 40px; white-space: nowrap; text-overflow: ellipsis">
    a long text
  </p>
  <dl style="display: flex; gap: 8px"><div><dt>Ten</dt></div><div><dt>Twenty</dt></div></dl>
  <div id="rows" style="height: 60px; overflow: auto"><table>
    <thead><tr><th style="position: sticky; top: 0; background: white">Head</th></tr></thead>
    <tbody>${"<tr><td>row</td></tr>".repeat(9)}</tbody>
  </table></div>
  <script>document.getElementById("rows").scrollTop = 30</script>`

describe.runIf(hasBrowser)("the look at a page's layout", () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await openBrowser()
  }, 120_000)

  afterAll(() => browser.close())

  const faultsIn = async (content: string) => {
    const page = await browser.newPage({ viewport: { width: 390, height: 780 } })
    await page.setContent(`<!doctype html><html lang="en"><body>${content}</body></html>`)
    const found = await layoutFaultsOf(page)
    await page.close()
    return found
  }

  for (const [name, [page, fault]] of Object.entries(faults)) {
    it(`finds ${name}`, async () => {
      const found = await faultsIn(page)
      assert.lengthOf(found, 1)
      assert.match(found[0]!, fault)
    })
  }

  it("finds nothing where texts stand beside and below one another", async () => {
    assert.deepStrictEqual(await faultsIn(well), [])
  })
})
