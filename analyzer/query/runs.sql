-- question: Which runs are in the data set, which is the newest, and of what are they?
-- example: dltap query DATASET runs
-- parameter: run text "" of this run only; empty: of all
-- uses: devices runs
WITH
facts AS (
  SELECT run, count(DISTINCT rank) AS ranks, count(DISTINCT host) AS hosts,
    count(*) AS processes, max(world_size) AS world_size,
    min(begin_ns) AS begin_ns, max(end_ns) AS end_ns,
    min(command) AS command, min(program) AS program,
    count(DISTINCT format) AS formats, min(format) AS format,
    count(DISTINCT dltap_version) AS versions,
    min(dltap_version) AS first_version, max(dltap_version) AS last_version,
    bool_or(simulated) AS simulated,
    count(DISTINCT CASE WHEN rank_from = 'order' THEN rank END)
      AS ranks_by_order,
    count(DISTINCT CASE WHEN clock <> 'unix' THEN rank END)
      AS ranks_without_clock, CAST(sum(lost) AS BIGINT) AS lost
  FROM runs WHERE {{run}} = '' OR run = {{run}} GROUP BY run),
gpus AS (
  SELECT run, count(*) AS gpus, count(DISTINCT name) AS models,
    min(name) AS model
  FROM devices WHERE {{run}} = '' OR run = {{run}} GROUP BY run)
SELECT f.run, f.ranks, f.world_size, f.hosts, f.processes, g.gpus,
  g.models, g.model, f.simulated, f.begin_ns, f.end_ns, f.program, f.command,
  f.formats, f.format, f.versions, f.first_version, f.last_version,
  f.ranks_by_order, f.ranks_without_clock, f.lost
FROM facts f LEFT JOIN gpus g ON f.run = g.run
ORDER BY f.begin_ns DESC NULLS LAST, f.run DESC
