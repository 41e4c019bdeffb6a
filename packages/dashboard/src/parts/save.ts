/**
 * Saves the server's answer as a file of the reader's.
 */
import { send } from "../api/call.ts"

/** Asks for this path, and gives the answer to the browser as a download. */
export const save = async (path: string, name: string, accept: string): Promise<void> => {
  const response = await send(path, { headers: { accept } })
  const address = URL.createObjectURL(await response.blob())
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  // The download reads the address after this returns.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
