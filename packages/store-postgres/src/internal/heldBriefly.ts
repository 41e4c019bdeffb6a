/**
 * The mark of a transaction that holds something which other servers wait for.
 *
 * @since 0.1.0
 */

/**
 * An expression for the statement that takes the lock. The server ends the session if nothing
 * happens in the transaction for eight seconds. So a process that stands still does not delay
 * others for the minute that sessions have otherwise. One that may idle for ever stays so: an
 * embedded database has one session, so no other waits for it.
 *
 * @category models
 * @since 0.1.0
 */
export const heldBriefly = `set_config(
    'idle_in_transaction_session_timeout',
    case when current_setting('idle_in_transaction_session_timeout') = '0' then '0' else '8s' end,
    true
  )`
