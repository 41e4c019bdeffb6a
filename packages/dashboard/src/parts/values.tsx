/**
 * Values that carry a meaning beside their text: gains and losses, states, modes.
 */
import type { ComponentChildren, VNode } from "preact"
import { words } from "./format.ts"

/** ▲ or ▼ as a drawing, which no font lacks; it follows the size and the colour of its text. */
const Arrow = ({ isUp }: { readonly isUp: boolean }): VNode => (
  <svg class="arrow" viewBox="0 0 8 7" aria-hidden="true">
    <path d={isUp ? "M4 0 8 7H0Z" : "M4 7 0 0h8Z"} fill="currentColor" />
  </svg>
)

/** A text about a gain or a loss, with an arrow beside its colour. */
export const Signed = (props: { readonly value: number | null; readonly text: string }): VNode => {
  const { text, value } = props
  const way = value === null || value === 0 ? "flat" : value > 0 ? "up" : "down"
  return (
    <span class={`signed ${way}`}>
      {way === "flat" ? null : <Arrow isUp={way === "up"} />}
      {text}
    </span>
  )
}

const tones: Readonly<Record<string, string>> = {
  running: "good",
  active: "good",
  completed: "good",
  ready: "good",
  succeeded: "good",
  armed: "good",
  starting: "busy",
  queued: "busy",
  pausing: "busy",
  stopping: "busy",
  pending: "busy",
  sending: "busy",
  paused: "warn",
  reducing: "warn",
  retrying: "warn",
  failing: "warn",
  fired: "warn",
  partial: "warn",
  error: "bad",
  failed: "bad",
  halted: "bad",
  disabled: "bad"
}

/** The state of a record. */
export const State = ({ name }: { readonly name: string }): VNode => (
  <span class={`badge ${tones[name] ?? "calm"}`}>{words(name)}</span>
)

/** Whether money is real. */
export const Mode = ({ mode }: { readonly mode: "paper" | "live" }): VNode => (
  <span class={`badge mode-${mode}`}>{mode}</span>
)

/** A figure under its name. */
export const Figure = (props: {
  readonly name: string
  readonly children: ComponentChildren
  readonly note?: ComponentChildren
}): VNode => (
  <div class="figure">
    <dt>{props.name}</dt>
    <dd>
      <span class="value">{props.children}</span>
      {props.note === undefined ? null : <span class="note">{props.note}</span>}
    </dd>
  </div>
)
