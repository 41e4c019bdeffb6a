/**
 * The mark of a transaction that holds something which other servers wait for.
 *
 * @since 0.1.0
 */

/**
 * An expression for the statement that takes the lock: the server ends the session if nothing
 * happens in the transaction for eight seconds, so that a process that stands still keeps nobody
 * waiting for the minute that sessions have otherwise. One that may idle for ever stays so: an
 * embedded database has one session, which nobody else waits for.
 *
 * @category models
 * @since 0.1.0
 */
export const heldBriefly = `set_config(
    'idle_in_transaction_session_timeout',
    case when current_setting('idle_in_transaction_session_timeout') = '0' then '0' else '8s' end,
    true
  )`
