/**
 * The faults of a page's layout that a reader sees: texts over one another, texts that are cut,
 * numbers over two lines, and whatever scrolls sideways or runs over its edge.
 */
import type { Page } from "playwright-core"

/** A rectangle of the window, in CSS pixels. */
interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

interface Style {
  readonly display: string
  readonly overflowX: string
  readonly overflowY: string
  readonly position: string
  readonly textOverflow: string
}

/** An element of the page; the types of a page are not those of Node. */
interface Shown {
  readonly tagName: string
  readonly className: unknown
  readonly textContent: string
  readonly parentElement: Shown | null
  readonly clientWidth: number
  readonly scrollWidth: number
  readonly getBoundingClientRect: () => Box
  readonly checkVisibility: (options: { readonly visibilityProperty: boolean }) => boolean
  readonly closest: (selector: string) => Shown | null
  readonly querySelectorAll: (selector: string) => Iterable<Shown>
}

interface Text {
  readonly data: string
  readonly parentElement: Shown
}

interface Window {
  readonly getComputedStyle: (element: Shown) => Style
  readonly document: {
    readonly documentElement: Shown
    readonly body: Shown
    readonly querySelectorAll: (selector: string) => Iterable<Shown>
    readonly createTreeWalker: (root: Shown, what: 4) => { readonly nextNode: () => Text | null }
    readonly createRange: () => {
      readonly selectNodeContents: (node: Text) => void
      readonly setStart: (node: Text, at: number) => void
      readonly setEnd: (node: Text, at: number) => void
      readonly getClientRects: () => Iterable<Box>
    }
  }
}

/** A piece of a page: a line of a text, or a field of a form. */
interface Piece {
  readonly text: string
  readonly box: Box
  readonly element: Shown
}

/** Runs in the page, and uses nothing from outside. */
const look = (): ReadonlyArray<string> => {
  const { document, getComputedStyle } = globalThis as unknown as Window
  const gapMinPx = 4
  const sightMinPx = 2
  // A dialog covers all that is behind it.
  const root = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document.body
  const styles = new Map<Shown, Style>()
  const styleOf = (element: Shown): Style => {
    const style = styles.get(element) ?? getComputedStyle(element)
    styles.set(element, style)
    return style
  }
  const isShown = (element: Shown): boolean => element.checkVisibility({ visibilityProperty: true })
  const shortOf = (text: string): string => text.trim().replaceAll(/\s+/g, " ").slice(0, 40)
  const nameOf = ({ className, tagName, textContent }: Shown): string =>
    `<${tagName.toLowerCase()} class="${String(className)}"> ${shortOf(textContent)}`

  /** The part of a box that the elements around it let be seen. */
  const seenOf = (box: Box, around: Shown | null): Box => {
    let { bottom, left, right, top } = box
    for (let one = around; one !== null && one !== document.body; one = one.parentElement) {
      const { overflowX, overflowY } = styleOf(one)
      const edge = one.getBoundingClientRect()
      if (overflowX !== "visible") {
        left = Math.max(left, edge.left)
        right = Math.min(right, edge.right)
      }
      if (overflowY !== "visible") {
        top = Math.max(top, edge.top)
        bottom = Math.min(bottom, edge.bottom)
      }
    }
    return { bottom, left, right, top }
  }
  const pieces: Array<Piece> = []
  const add = (text: string, box: Box, element: Shown, around: Shown | null): void => {
    const seen = seenOf(box, around)
    const isSeen = seen.right - seen.left > sightMinPx && seen.bottom - seen.top > sightMinPx
    // A link for the keyboard waits left of the page.
    if (isSeen && seen.right > 0) pieces.push({ text, box: seen, element })
  }
  const broken: Array<string> = []
  /** Numbers of a text of which a part stands on the next line. */
  const findBroken = (node: Text): void => {
    for (const { 0: digits, index } of node.data.matchAll(
      /(?<![\w.-])[−+]?\d[\d.,]*\d(?![\w-])/g
    )) {
      const range = document.createRange()
      range.setStart(node, index)
      range.setEnd(node, index + digits.length)
      const [first, ...rest] = range.getClientRects()
      if (rest.some(({ top }) => top >= first!.bottom - 1)) broken.push(`is broken: ${digits}`)
    }
  }
  const walker = document.createTreeWalker(root, 4)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const { data, parentElement: element } = node
    if (data.trim() === "" || element.closest("script, style, option, .hidden") !== null) continue
    if (!isShown(element)) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    for (const box of range.getClientRects()) add(shortOf(data), box, element, element)
    if (element.closest("pre") === null) findBroken(node)
  }
  for (const field of root.querySelectorAll("input:not(.hidden), select, textarea")) {
    if (!isShown(field)) continue
    add(nameOf(field), field.getBoundingClientRect(), field, field.parentElement)
  }

  /** The element that stays where it is while what is around it scrolls, over what is below it. */
  const stuckOf = (element: Shown): Shown | null => {
    for (let one: Shown | null = element; one !== null; one = one.parentElement) {
      if (styleOf(one).position === "sticky") return one
    }
    return null
  }
  /** Whether two pieces are one text that ends in dots: its hidden rest is a piece too. */
  const isShortened = (one: Piece, other: Piece): boolean => {
    if (one.element !== other.element || one.text !== other.text) return false
    for (let at: Shown | null = one.element; at !== null; at = at.parentElement) {
      if (styleOf(at).textOverflow === "ellipsis") return true
    }
    return false
  }
  const isOver = (one: Piece, other: Piece): boolean => {
    if (isShortened(one, other)) return false
    const [item, next] = [one.element.closest("dl > div"), other.element.closest("dl > div")]
    // Figures side by side are to be told apart.
    const gap = item !== null && next !== null && item !== next ? gapMinPx : -1
    const height = Math.min(one.box.bottom - one.box.top, other.box.bottom - other.box.top)
    const common = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top)
    return (
      one.box.left < other.box.right + gap &&
      other.box.left < one.box.right + gap &&
      // The boxes of lines that follow one another may touch.
      common > height / 4 &&
      stuckOf(one.element) === stuckOf(other.element)
    )
  }
  const over = pieces.flatMap((one, at) =>
    pieces
      .slice(at + 1)
      .filter((other) => isOver(one, other))
      .map((other) => `lie over one another: ${one.text} | ${other.text}`)
  )
  const width = document.documentElement.clientWidth
  const beyond = pieces
    .filter(({ box }) => box.left < -1 || box.right > width + 1)
    .map(({ text }) => `beyond the window: ${text}`)
  const outside = pieces.flatMap(({ box, element, text }) => {
    const place = element.closest("td, th, .card, .banner, dialog")
    if (place === null || !isShown(place)) return []
    const { left, right } = place.getBoundingClientRect()
    return box.left < left - 1 || box.right > right + 1 ? [`runs over its edge: ${text}`] : []
  })
  const wide = [document.documentElement, ...root.querySelectorAll("*")].flatMap((element) => {
    const { clientWidth, scrollWidth } = element
    if (clientWidth === 0 || scrollWidth <= clientWidth + 1 || !isShown(element)) return []
    const { overflowX, textOverflow } = styleOf(element)
    const isPage = element === document.documentElement
    if (isPage || overflowX === "auto" || overflowX === "scroll") {
      return [`scrolls sideways: ${nameOf(element)}`]
    }
    const isCut = overflowX !== "visible" && textOverflow !== "ellipsis"
    return isCut && element.closest(".hidden, thead") === null ? [`is cut: ${nameOf(element)}`] : []
  })
  const ragged = [...root.querySelectorAll("tr")].flatMap((row) => {
    if (styleOf(row).display !== "table-row") return []
    const { bottom } = row.getBoundingClientRect()
    return [...row.querySelectorAll("td")]
      .filter((cell) => Math.abs(cell.getBoundingClientRect().bottom - bottom) > 2)
      .map((cell) => `ends beside its row: ${nameOf(cell)}`)
  })
  // Dots show that a text goes on, and never that there is another button.
  const cut = [...root.querySelectorAll("button, input:not(.hidden), select")].flatMap((one) => {
    const { left, right } = one.getBoundingClientRect()
    if (!isShown(one) || right - left <= sightMinPx) return []
    const seen = seenOf(one.getBoundingClientRect(), one.parentElement)
    return seen.left > left + 1 || seen.right < right - 1 ? [`is cut: ${nameOf(one)}`] : []
  })
  return [...over, ...beyond, ...outside, ...wide, ...ragged, ...cut, ...broken]
}

/** The faults of the layout of a page, as a reader of all of it would see them. */
export const layoutFaultsOf = (page: Page): Promise<ReadonlyArray<string>> => page.evaluate(look)
