/**
 * A table of any length, of which only the rows in sight are there.
 *
 * Rows have one height. The end of what is loaded asks for more when it comes near.
 */
import type { VNode } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { rowPx, rowsBeyond, rowsInSight } from "./rowsInSight.ts"
import type { Column } from "./Table.tsx"

const Spacer = (props: { readonly rows: number; readonly columns: number }): VNode | null =>
  props.rows === 0 ? null : (
    <tr aria-hidden="true" class="spacer">
      <td colSpan={props.columns} style={{ height: `${props.rows * rowPx}px` }} />
    </tr>
  )

/** A table of which only the rows in sight are there. */
export const VirtualTable = <A,>(props: {
  readonly caption: string
  readonly columns: ReadonlyArray<Column<A>>
  readonly items: ReadonlyArray<A>
  readonly keyOf: (item: A) => string
  /** Called when the end of what is loaded comes near. */
  readonly onEnd: () => void
}): VNode => {
  const { caption, columns, items, keyOf, onEnd } = props
  const box = useRef<HTMLDivElement>(null)
  const [sight, setSight] = useState<readonly [scrolledPx: number, heightPx: number]>([0, 600])
  const [from, to] = rowsInSight(sight[0], sight[1], items.length)
  useEffect(() => {
    const element = box.current!
    const look = () => setSight([element.scrollTop, element.clientHeight])
    const observer = new ResizeObserver(look)
    observer.observe(element)
    element.addEventListener("scroll", look, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener("scroll", look)
    }
  }, [])
  useEffect(() => {
    if (to >= items.length - rowsBeyond) onEnd()
  }, [to, items.length])
  return (
    <div class="scroll tall" ref={box} tabIndex={0} role="region" aria-label={caption}>
      <table aria-rowcount={items.length + 1}>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ isNumber, name }) => (
              <th key={name} scope="col" class={isNumber === true ? "number" : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer rows={from} columns={columns.length} />
          {items.slice(from, to).map((item, at) => (
            <tr key={keyOf(item)} aria-rowindex={from + at + 2} style={{ height: `${rowPx}px` }}>
              {columns.map(({ isNumber, name, show }) => (
                <td key={name} class={isNumber === true ? "number" : undefined}>
                  {show(item)}
                </td>
              ))}
            </tr>
          ))}
          <Spacer rows={items.length - to} columns={columns.length} />
        </tbody>
      </table>
    </div>
  )
}
