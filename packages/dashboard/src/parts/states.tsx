/**
 * The notes where nothing can be shown: loading, nothing there, and failures.
 */
import type { ComponentChildren, VNode } from "preact"
import { RefusedCall, sentenceOf } from "../api/call.ts"
import type { Asked } from "./ask.ts"

/** A failure with its remedy. */
export const Failure = (props: {
  readonly title: string
  readonly text: string
  readonly requestId?: string | null
  readonly onRetry?: (() => void) | undefined
}): VNode => (
  <section class="state" role="alert">
    <h2>{props.title}</h2>
    <p>{props.text}</p>
    {props.requestId == null ? null : <p class="note">Request {props.requestId}</p>}
    {props.onRetry === undefined ? null : (
      <button type="button" class="plain" onClick={props.onRetry}>
        Try again
      </button>
    )}
  </section>
)

/** Nothing is there yet, and how something comes there. */
export const Empty = (props: {
  readonly title: string
  readonly children?: ComponentChildren
}): VNode => (
  <div class="state">
    <p class="title">{props.title}</p>
    {props.children === undefined ? null : <p>{props.children}</p>}
  </div>
)

/** Shows an answer once it is there; a failure to renew it stands above the last one. */
export const Shown = <A,>(props: {
  readonly asked: Asked<A>
  readonly what: string
  readonly children: (data: A) => ComponentChildren
}): VNode => {
  const { again, data, fault } = props.asked
  if (data === undefined && fault === undefined) {
    return (
      <p class="loading" role="status">
        Loading {props.what}…
      </p>
    )
  }
  if (data === undefined) {
    const requestId = fault instanceof RefusedCall ? fault.requestId : null
    const title = `${props.what[0]!.toUpperCase()}${props.what.slice(1)} can't be shown`
    return <Failure title={title} text={sentenceOf(fault)} requestId={requestId} onRetry={again} />
  }
  return (
    <>
      {fault === undefined ? null : (
        <p class="fault" role="alert">
          Not up to date: {sentenceOf(fault)}
        </p>
      )}
      {props.children(data)}
    </>
  )
}
