/**
 * Keys: `g` and a letter goes to a page, `/` to the search of a list, `?` shows this.
 */
import { signal } from "@preact/signals"
import type { VNode } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { sessionKey } from "../api/session.ts"
import { pages } from "../pages/pages.ts"
import { go } from "./route.ts"

const isHelpShown = signal(false)

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.matches("input, textarea, select") || target.isContentEditable)

const waitMs = 1_500

/** Listens to keys while the page is there. */
export const useKeys = (): void => {
  useEffect(() => {
    let isAfterG = false
    let timer = 0
    const listen = (event: KeyboardEvent) => {
      const { altKey, ctrlKey, key: pressed, metaKey, target } = event
      if (altKey || ctrlKey || metaKey || isTyping(target) || sessionKey.peek() === null) return
      if (isAfterG) {
        isAfterG = false
        const page = pages.find(({ letter }) => letter === pressed)
        if (page !== undefined) go(page.path === "" ? [] : [page.path])
        return
      }
      if (pressed === "g") {
        isAfterG = true
        clearTimeout(timer)
        timer = setTimeout(() => (isAfterG = false), waitMs)
      } else if (pressed === "?") {
        isHelpShown.value = true
      } else if (pressed === "/") {
        const search = document.querySelector<HTMLInputElement>("input[type=search]")
        if (search === null) return
        event.preventDefault()
        search.focus()
      }
    }
    addEventListener("keydown", listen)
    return () => removeEventListener("keydown", listen)
  }, [])
}

/** The list of keys, as a dialog. */
export const KeysHelp = (): VNode => {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (isHelpShown.value) dialog.current?.showModal()
  }, [isHelpShown.value])
  return (
    <dialog ref={dialog} aria-labelledby="keys-title" onClose={() => (isHelpShown.value = false)}>
      <h2 id="keys-title">Keys</h2>
      <dl class="keys">
        {pages
          .filter(({ letter }) => letter !== undefined)
          .map(({ letter, title }) => (
            <div key={letter}>
              <dt>
                <kbd>g</kbd> <kbd>{letter}</kbd>
              </dt>
              <dd>{title}</dd>
            </div>
          ))}
        <div>
          <dt>
            <kbd>/</kbd>
          </dt>
          <dd>Search the list</dd>
        </div>
        <div>
          <dt>
            <kbd>?</kbd>
          </dt>
          <dd>These keys</dd>
        </div>
      </dl>
      <form method="dialog">
        <button class="plain">Close</button>
      </form>
    </dialog>
  )
}
