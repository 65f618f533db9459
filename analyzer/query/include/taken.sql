-- taken: the collectives that were asked for. A send and its receive are one:
-- their lane is SENDER>RECEIVER, of places in the communicator.
taken AS (
  SELECT run, rank, device, communicator, ranks, communicator_rank,
    kind AS own_kind, nth, begin_ns, end_ns, bytes, dtype, root, step,
    CASE WHEN kind IN ('send', 'recv') THEN 'send_recv' ELSE kind END AS kind,
    CASE kind
      WHEN 'send' THEN concat(CAST(communicator_rank AS STRING), '>',
                              CAST(peer AS STRING))
      WHEN 'recv' THEN concat(CAST(peer AS STRING), '>',
                              CAST(communicator_rank AS STRING))
      ELSE '' END AS lane
  FROM collectives
  WHERE ({{run}} = '' OR run = {{run}})
    AND (step IS NULL OR step BETWEEN {{from_step}} AND {{to_step}})
    AND communicator IS NOT NULL AND nth IS NOT NULL
    AND (kind NOT IN ('send', 'recv')
         OR (peer IS NOT NULL AND communicator_rank IS NOT NULL)))
