/**
 * Whether the window is as narrow as a phone's.
 *
 * The style sheets have the same width.
 */
import { useEffect, useState } from "preact/hooks"

const phone = matchMedia("(max-width: 760px)")

/** Whether the window is as narrow as a phone's; a component is drawn anew where that changes. */
export const usePhone = (): boolean => {
  const [isPhone, setIsPhone] = useState(phone.matches)
  useEffect(() => {
    const look = () => setIsPhone(phone.matches)
    look()
    phone.addEventListener("change", look)
    return () => phone.removeEventListener("change", look)
  }, [])
  return isPhone
}
