import { sleep } from "./serverProcess.ts"

/** Waits until something is so; what did not come to be where it took too long. */
export const until = async (
  isSo: () => Promise<boolean>,
  what: string,
  withinMs: number
): Promise<string | null> => {
  const endMs = performance.now() + withinMs
  while (!(await isSo())) {
    if (performance.now() > endMs) return what
    await sleep(500)
  }
  return null
}
