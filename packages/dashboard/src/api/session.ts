/**
 * The key of this tab: in memory, and in the tab's session storage so that a reload keeps it.
 */
import { signal } from "@preact/signals"

const place = "candlewick.key"

/** Where the server is: above the folder of this script, behind any prefix of a proxy or a host. */
export const base: string = new URL("..", import.meta.url).href

const kept = (): string | null => {
  try {
    return sessionStorage.getItem(place)
  } catch {
    return null
  }
}

/** The key, or null before somebody signs in. */
export const sessionKey = signal<string | null>(kept())

/** Why the tab was signed out, where it was not asked for. */
export const signedOutBecause = signal<string | null>(null)

/** Keeps a key that the server has accepted. */
export const signIn = (secret: string): void => {
  try {
    sessionStorage.setItem(place, secret)
  } catch {
    // A browser without storage keeps it in memory alone.
  }
  signedOutBecause.value = null
  sessionKey.value = secret
}

/** Forgets the key. */
export const signOut = (reason: string | null = null): void => {
  try {
    sessionStorage.removeItem(place)
  } catch {
    // There is nothing to remove where nothing could be kept.
  }
  signedOutBecause.value = reason
  sessionKey.value = null
}
