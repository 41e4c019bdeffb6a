/**
 * A table of any length, of which only the rows in sight are there.
 *
 * Rows have one height. The table asks for more when the end of the loaded rows comes near.
 */
import type { VNode } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { rowPxOf, rowsBeyond, rowsInSight } from "./rowsInSight.ts"
import { Cell, type Column } from "./Table.tsx"
import { usePhone } from "./usePhone.ts"

const Spacer = (props: { readonly px: number; readonly columns: number }): VNode | null =>
  props.px === 0 ? null : (
    <tr aria-hidden="true" class="spacer">
      <td colSpan={props.columns} style={{ height: `${props.px}px` }} />
    </tr>
  )

/** A table of which only the rows in sight are there. */
export const VirtualTable = <A,>(props: {
  readonly caption: string
  readonly columns: ReadonlyArray<Column<A>>
  readonly items: ReadonlyArray<A>
  readonly keyOf: (item: A) => string
  /** Called when the end of the loaded rows comes near. */
  readonly onEnd: () => void
}): VNode => {
  const { caption, columns, items, keyOf, onEnd } = props
  const box = useRef<HTMLDivElement>(null)
  const [sight, setSight] = useState<readonly [scrolledPx: number, heightPx: number]>([0, 600])
  const rowPx = rowPxOf(columns, usePhone())
  const [from, to] = rowsInSight(sight[0], sight[1], items.length, rowPx)
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
          <Spacer px={from * rowPx} columns={columns.length} />
          {items.slice(from, to).map((item, at) => (
            <tr key={keyOf(item)} aria-rowindex={from + at + 2} style={{ height: `${rowPx}px` }}>
              {columns.map((column) => (
                <Cell key={column.name} column={column} item={item} />
              ))}
            </tr>
          ))}
          <Spacer px={(items.length - to) * rowPx} columns={columns.length} />
        </tbody>
      </table>
    </div>
  )
}
