-- taken: the collectives that were asked for. A send and its receive are one:
-- their lane is SENDER>RECEIVER, of places in the communicator. No rank of a
-- communicator that was split off another knows its place there, nor how many
-- they are: its members stand in the order of their ranks, as frameworks ask.
with_places AS (
  SELECT run, rank, device, communicator, ranks, communicator_rank, kind, nth,
    begin_ns, end_ns, bytes, dtype, root, step, peer
  FROM collectives
  WHERE ({{run}} = '' OR run = {{run}})
    AND (step IS NULL OR step BETWEEN {{from_step}} AND {{to_step}})
    AND communicator IS NOT NULL AND nth IS NOT NULL),
split_off AS (
  SELECT run, communicator, rank,
    CAST(row_number() OVER (PARTITION BY run, communicator ORDER BY rank) - 1
      AS BIGINT) AS place,
    CAST(count(*) OVER (PARTITION BY run, communicator) AS BIGINT) AS members
  FROM (
    SELECT run, communicator, rank FROM with_places
    WHERE communicator_rank IS NULL
    GROUP BY run, communicator, rank) without_place),
in_place AS (
  SELECT a.run, a.rank, a.device, a.communicator, a.kind, a.nth, a.begin_ns,
    a.end_ns, a.bytes, a.dtype, a.root, a.step, a.peer,
    coalesce(a.ranks, s.members) AS ranks,
    coalesce(a.communicator_rank, s.place) AS communicator_rank
  FROM with_places a LEFT JOIN split_off s ON a.run = s.run
    AND a.communicator = s.communicator AND a.rank = s.rank),
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
  FROM in_place
  WHERE kind NOT IN ('send', 'recv')
    OR (peer IS NOT NULL AND communicator_rank IS NOT NULL))
