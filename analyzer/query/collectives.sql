-- question: How long do members of each communicator wait for the last, how long is the transfer, how fast?
-- example: dltap query DATASET collectives --set top=5
-- parameter: top integer 20 how many rows, those that cost most first
-- parameter: run text "" of this run only; empty: of all
-- parameter: from_step integer 0 first step
-- parameter: to_step integer 1000000000 last step
-- uses: collectives
WITH
{{include taken}},
{{include step_places}},
{{include fits}},
{{include arrivals}},
last_ranks AS (
  SELECT a.run, a.communicator, a.kind, a.rank, count(*) AS times,
    row_number() OVER (PARTITION BY a.run, a.communicator, a.kind
                       ORDER BY count(*) DESC, a.rank) AS place
  FROM arrivals a
  JOIN met m ON a.run = m.run AND a.communicator = m.communicator
    AND a.lane = m.lane AND a.kind = m.kind AND a.nth = m.nth
    AND a.begin_at = m.last_at
  GROUP BY a.run, a.communicator, a.kind, a.rank),
grouped AS (
  SELECT run, communicator, kind, count(*) AS n, max(members) AS members,
    max(ranks) AS ranks, median(bytes) AS bytes,
    median(last_at - first_at) AS spread_ns,
    avg(last_at - mean_at) AS wait_ns, median(transfer_ns) AS transfer_ns,
    sum(transfer_ns) AS all_transfer_ns,
    sum(CASE WHEN transfer_ns > 0 THEN bytes END) AS all_bytes,
    sum(last_at - mean_at) AS all_wait_ns,
    max(CASE
      WHEN kind = 'all_reduce' THEN 2e0 * (members - 1) / members
      WHEN kind IN ('all_gather', 'reduce_scatter', 'all_to_all')
        THEN (members - 1e0) / members
      ELSE 1e0 END) AS bus
  FROM met GROUP BY run, communicator, kind)
SELECT g.run, g.communicator, g.kind, g.ranks, g.members, g.n AS collectives,
  CAST(g.bytes AS BIGINT) AS bytes, round(g.spread_ns / 1e3, 3) AS spread_us,
  round(g.wait_ns / 1e3, 3) AS mean_wait_us,
  round(g.transfer_ns / 1e3, 3) AS transfer_us,
  round(g.all_wait_ns / NULLIF(g.all_wait_ns + g.all_transfer_ns, 0e0), 4)
    AS wait_share,
  round(g.all_bytes / NULLIF(g.all_transfer_ns, 0e0), 3) AS algorithm_gb_per_s,
  round(g.bus * g.all_bytes / NULLIF(g.all_transfer_ns, 0e0), 3)
    AS bus_gb_per_s,
  l.rank AS last_rank, round(l.times * 1e0 / g.n, 4) AS last_share
FROM grouped g
LEFT JOIN last_ranks l ON g.run = l.run AND g.communicator = l.communicator
  AND g.kind = l.kind AND l.place = 1
ORDER BY round(g.all_wait_ns + g.all_transfer_ns) DESC, g.run, g.communicator, g.kind
LIMIT {{top}}
