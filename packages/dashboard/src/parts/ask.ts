/**
 * Asks the server when a component appears, and again when it is asked to.
 */
import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import type { StreamEvent } from "../api/readEvents.ts"
import { onEvent } from "../api/stream.ts"

/** The state of a question to the server. */
export interface Asked<A> {
  readonly data: A | undefined
  readonly fault: unknown
  readonly isAsking: boolean
  /** Asks again, and keeps the former answer until the new one comes. */
  readonly again: () => void
}

type State<A> = Omit<Asked<A>, "again">

/** Asks once, and again whenever one of these changes. */
export const useAsked = <A>(
  ask: (signal: AbortSignal) => Promise<A>,
  inputs: ReadonlyArray<unknown>
): Asked<A> => {
  const [count, setCount] = useState(0)
  const [state, setState] = useState<State<A>>({
    data: undefined,
    fault: undefined,
    isAsking: true
  })
  const isUnderWay = useRef(false)
  const isWantedAgain = useRef(false)
  useEffect(() => {
    const abort = new AbortController()
    isUnderWay.current = true
    isWantedAgain.current = false
    setState((before) => ({ ...before, isAsking: true }))
    const finish = (next: (before: State<A>) => State<A>) => {
      if (abort.signal.aborted) return
      isUnderWay.current = false
      setState(next)
      if (isWantedAgain.current) setCount((before) => before + 1)
    }
    ask(abort.signal).then(
      (data) => finish(() => ({ data, fault: undefined, isAsking: false })),
      (fault: unknown) => finish((before) => ({ ...before, fault, isAsking: false }))
    )
    return () => abort.abort()
  }, [...inputs, count])
  // An answer that is slower than events come would never be there if each of them asked anew.
  const again = useCallback(() => {
    if (isUnderWay.current) isWantedAgain.current = true
    else setCount((before) => before + 1)
  }, [])
  return { ...state, again }
}

const soonMs = 800

/** Calls this after events that matter, once for all that come within the pause. */
export const useEvents = (
  matters: (event: StreamEvent) => boolean,
  act: () => void,
  pauseMs = soonMs
): void => {
  const latest = useRef(act)
  latest.current = act
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onEvent((event) => {
      if (timer !== undefined || !matters(event)) return
      timer = setTimeout(() => {
        timer = undefined
        latest.current()
      }, pauseMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [])
}
