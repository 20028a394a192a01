-- The words of a text: what has a letter, or is a number. A sign that a tagger takes for a word, such as an emoji, is none.
-- key: document, token
create view word as
select document, sentence, token, lower(text) as text, part_of_speech
from token
where not part_of_speech in no_words and (lower(text) != upper(text) or part_of_speech in numbers);

-- How many words a text has. A sentence that repeats an earlier one letter for letter adds none.
-- key: document
create view size as
with first_time as (
  select s.document, s.sentence from essay_sentence as s
  where not exists (
    select 1 from essay_sentence as earlier
    where earlier.document = s.document and earlier.text = s.text and earlier.sentence < s.sentence)
),
counted as (
  select t.document, count(*) as words
  from word as t join first_time as f on f.document = t.document and f.sentence = t.sentence
  group by t.document
)
select e.document, e.target, coalesce(c.words, 0) as words
from essay as e left join counted as c on c.document = e.document;

-- What each place of a text may be: entries of the lists, each once, however often a list repeats it. Of two entries for
-- one part of speech, `are` and `be`, the one that is written is meant; of a word that a list has sense by sense, those
-- senses.
-- key: document, tokens, reference, headword, pos, guide, level
create view reading as
select distinct c.document, c.tokens, c.reference, c.headword, c.pos, coalesce(c.guide, '') as guide, c.level,
  c.sentence, c.start_at, c.end_at, c.quote
from candidate as c
where c.pos is not null and c.level is not null
and not exists (
  select 1 from candidate as w
  where w.document = c.document and w.tokens = c.tokens and w.reference = c.reference
  and w.pos is not null and c.pos is not null and w.pos = c.pos and w.headword = lower(w.quote) and c.headword != lower(c.quote))
and not exists (
  select 1 from candidate as s
  where s.document = c.document and s.tokens = c.tokens and s.headword = c.headword and s.guide is not null
  and c.guide is null and s.pos is not null and c.pos is not null and s.pos = c.pos);

-- How many words there are at each place.
-- key: document, tokens
create view place as
select document, tokens, count(distinct token) as words from candidate_word group by document, tokens;

-- Places inside of longer ones: `ice` in `ice cream` is not read by itself.
-- key: document, tokens
create view inner_place as
with word_at as (select distinct document, tokens, token from candidate_word)
select distinct a.document, a.tokens
from word_at as a
join word_at as b on b.document = a.document and b.token = a.token
join place as small on small.document = a.document and small.tokens = a.tokens
join place as large on large.document = b.document and large.tokens = b.tokens
where large.words > small.words;

-- How many different readings a place has.
-- key: document, tokens
create view ambiguity as
select document, tokens, count(*) as readings from reading group by document, tokens;

-- Words that can be one entry only. No model has a say in it.
-- key: document, tokens
create view certain_word as
select r.document, r.tokens, r.reference, r.headword, r.pos, r.guide, r.level, r.sentence, r.start_at, r.end_at, r.quote
from reading as r join ambiguity as a on a.document = r.document and a.tokens = r.tokens
where a.readings = 1
and not exists (select 1 from inner_place as i where i.document = r.document and i.tokens = r.tokens);

-- Words that can be several entries, so that without a choice nothing is shown of them.
-- key: document, tokens
create view open_word as
select r.document, r.tokens, a.readings, min(r.start_at) as start_at, min(r.end_at) as end_at, min(r.quote) as quote
from reading as r join ambiguity as a on a.document = r.document and a.tokens = r.tokens
where a.readings > 1
and not exists (select 1 from inner_place as i where i.document = r.document and i.tokens = r.tokens)
group by r.document, r.tokens, a.readings;

-- Words for which two lists give one part of speech different levels. No list is preferred, so neither level counts.
-- key: document, tokens, headword, pos
create view disagreement as
select distinct a.document, a.tokens, a.headword, a.pos, a.start_at, a.end_at, a.quote
from reading as a join reading as b
on b.document = a.document and b.tokens = a.tokens and b.headword = a.headword and b.pos = a.pos
where a.reference = 'cefrj_vocabulary' and b.reference = 'octanove_vocabulary' and a.level != b.level;

-- Words that no list has, or that the tagger read otherwise. It says nothing of their level.
-- key: document, text
create view unlisted_word as
select t.document, t.text, count(*) as uses
from word as t
where not t.part_of_speech in names and not t.part_of_speech in numbers
and not exists (select 1 from candidate_word as c where c.document = t.document and c.token = t.token)
group by t.document, t.text;

-- Words that the tagger read as names, as calls such as `hello`, or as foreign, and that no list has as such.
-- key: document, text
create view name_word as
select t.document, t.text, count(*) as uses
from word as t
where t.part_of_speech in names
and not exists (select 1 from candidate_word as c where c.document = t.document and c.token = t.token)
group by t.document, t.text;

-- How many in a hundred of the words of a text the lists have. In another language, or among marks of a page, they are few.
-- key: document
-- share: decimal(3,0) none
create view listed_share as
with seen as (select distinct document, token from candidate_word),
counted as (
  select w.document, count(*) as words, count_if(s.token is not null) as listed
  from word as w left join seen as s on s.document = w.document and s.token = w.token
  group by w.document
)
select document, words, listed, quotient(listed * rate_of, words, 0) as share from counted where words > 0;

-- What a model chose for a place, by the words of the list.
-- key: document, tokens, reference, headword, pos, guide
create view choice as
select distinct s.document, s.tokens, s.reference, s.headword, c.pos, coalesce(c.guide, '') as guide
from sense as s join candidate as c
on c.document = s.document and c.tokens = s.tokens and c.reference = s.reference and c.entry = s.entry
and c.headword = s.headword
where c.pos is not null;

-- Words that may be several entries, where a model chose one of them, and the list has one level for it.
-- key: document, tokens
create view chosen_word as
with single as (select document, tokens, count(*) as choices from choice group by document, tokens having count(*) = 1),
levels as (
  select document, tokens, reference, headword, pos, guide, count(*) as found
  from reading group by document, tokens, reference, headword, pos, guide having count(*) = 1
)
select r.document, r.tokens, r.reference, r.headword, r.pos, r.guide, r.level, r.sentence, r.start_at, r.end_at, r.quote
from reading as r
join ambiguity as a on a.document = r.document and a.tokens = r.tokens
join single as s on s.document = r.document and s.tokens = r.tokens
join choice as c on c.document = r.document and c.tokens = r.tokens
and c.reference = r.reference and c.headword = r.headword and c.pos = r.pos and c.guide = r.guide
join levels as l on l.document = r.document and l.tokens = r.tokens
and l.reference = r.reference and l.headword = r.headword and l.pos = r.pos and l.guide = r.guide
where a.readings > 1
and not exists (select 1 from inner_place as i where i.document = r.document and i.tokens = r.tokens);

-- Words that may be several entries, of which a model was asked, and did not choose one that the list has one level for.
-- key: document, tokens
create view undecided_word as
select o.document, o.tokens, o.readings, o.start_at, o.end_at, o.quote
from open_word as o
where not exists (select 1 from chosen_word as c where c.document = o.document and c.tokens = o.tokens)
and not exists (select 1 from disagreement as d where d.document = o.document and d.tokens = o.tokens)
and o.document in (select document from coherence);

-- Words with an official level that no error touches.
-- key: document, tokens
create view word_use as
with used as (
  select document, tokens, reference, headword, pos, guide, level, start_at, end_at from certain_word
  union all
  select document, tokens, reference, headword, pos, guide, level, start_at, end_at from chosen_word
)
select u.document, u.tokens, u.reference, u.headword, u.pos, u.guide, u.level
from used as u
where not exists (
  select 1 from error as e where e.document = u.document and e.start_at < u.end_at and u.start_at < e.end_at);

-- What a structure is by the file and by the model. The file's level counts where the structure is linked to an item of
-- the grammar list that has a level, or to an entry of several words. A single word does not define a structure.
-- key: document, start_at, end_at, name, run_id
create view structure_reading as
with touched as (
  select distinct s.document, s.start_at, s.end_at, s.name, s.run_id
  from structure as s join error as e
  on e.document = s.document and e.start_at < s.end_at and s.start_at < e.end_at
  where e.category in form_errors
)
select s.document, s.sentence, s.start_at, s.end_at, s.name, s.run_id, s.quote, s.level as proposed,
  s.grammar, g.item, s.reference, s.headword, s.pos, coalesce(s.guide, '') as guide,
  case
    when g.level is not null then 'grammar'
    when s.entry_level is not null and s.pos is not null and s.headword is not null and contains(s.headword, ' ')
      then 'entry'
    when s.headword is not null and g.id is null then 'single_word'
    when g.id is not null then 'no_level'
    else 'nobody' end as decided_by,
  case
    when g.level is not null and starts_with(g.level, 'C2') then 'C2'
    when g.level is not null and starts_with(g.level, 'C1') then 'C1'
    when g.level is not null and starts_with(g.level, 'B2') then 'B2'
    when g.level is not null and starts_with(g.level, 'B1') then 'B1'
    when g.level is not null and starts_with(g.level, 'A2') then 'A2'
    when g.level is not null then 'A1'
    when s.entry_level is not null and s.pos is not null and s.headword is not null and contains(s.headword, ' ')
      then s.entry_level
    else s.level end as level,
  case when t.document is null then 'yes' else 'no' end as well_formed
from structure as s
left join cefrj_grammar as g on g.id = s.grammar and g.id is not null and s.grammar is not null
left join touched as t on t.document = s.document and t.start_at = s.start_at and t.end_at = s.end_at
and t.name = s.name and t.run_id = s.run_id;

-- Distinct pieces of evidence of a level that are well used. Using one again adds nothing.
-- key: document, kind, reference, item, pos, guide
create view evidence as
select distinct document, 'word' as kind, reference, headword as item, pos, guide, level, official_counts as counts
from word_use
where reference is not null and headword is not null
union all
select document, 'structure' as kind, 'cefrj_grammar' as reference, grammar as item, '' as pos, '' as guide,
  min(level) as level, official_counts as counts
from structure_reading
where decided_by = 'grammar' and well_formed = 'yes' and grammar is not null and level is not null
group by document, grammar
union all
select document, 'entry' as kind, reference, headword as item, pos, guide, min(level) as level, official_counts as counts
from structure_reading
where decided_by = 'entry' and well_formed = 'yes' and reference is not null and headword is not null
and pos is not null and level is not null
group by document, reference, headword, pos, guide
union all
select s.document, 'proposal' as kind, '' as reference, s.name as item, '' as pos, '' as guide,
  min(s.level) as level, proposed_counts as counts
from structure_reading as s
where s.decided_by in ('single_word', 'no_level', 'nobody') and s.well_formed = 'yes' and s.level is not null
and not exists (
  select 1 from structure_reading as o
  where o.document = s.document and o.name = s.name and o.decided_by in ('grammar', 'entry'))
group by s.document, s.name;

-- The highest level of which there is enough evidence, of that level or a higher one; null where there is of none.
-- key: document
create view reached as
with seen as (select distinct document, level from evidence where level is not null),
totals as (
  select a.document, a.level, sum(b.counts) as weight, count(*) as pieces
  from seen as a join evidence as b on b.document = a.document
  where b.level is not null and b.level >= a.level
  group by a.document, a.level
),
best as (
  select document, max(level) as level from totals where weight is not null and weight >= enough group by document)
select z.document, z.target, z.words, b.level
from size as z left join best as b on b.document = z.document;

-- Range, in points: what was reached beside what was aimed at.
-- key: document
-- points: decimal(10,2) point
create view range_score as
with steps as (
  select document, target, level,
    case when level is not null and level in ('A1', 'A2', 'B1', 'B2', 'C1', 'C2') then 1 else 0 end
      + case when level is not null and level in ('A2', 'B1', 'B2', 'C1', 'C2') then 1 else 0 end
      + case when level is not null and level in ('B1', 'B2', 'C1', 'C2') then 1 else 0 end
      + case when level is not null and level in ('B2', 'C1', 'C2') then 1 else 0 end
      + case when level is not null and level in ('C1', 'C2') then 1 else 0 end
      + case when level is not null and level in ('C2') then 1 else 0 end as reached_steps,
    case when target is not null and target in ('A1', 'A2', 'B1', 'B2', 'C1', 'C2') then 1 else 0 end
      + case when target is not null and target in ('A2', 'B1', 'B2', 'C1', 'C2') then 1 else 0 end
      + case when target is not null and target in ('B1', 'B2', 'C1', 'C2') then 1 else 0 end
      + case when target is not null and target in ('B2', 'C1', 'C2') then 1 else 0 end
      + case when target is not null and target in ('C1', 'C2') then 1 else 0 end
      + case when target is not null and target in ('C2') then 1 else 0 end as target_steps
  from reached where target is not null
),
open as (
  select document, target, level, range_at_target + range_step * (reached_steps - target_steps) as points from steps
)
select document, target, level,
  case when points > top then top when points < 0 then 0 else points end as points
from open where points is not null;

-- The errors of a text by their weight. A text of which coherence was rated was looked at, so it may have none.
-- key: document
create view error_total as
with weighed as (
  select document,
    case when severity = 'serious' then serious_weight when severity = 'moderate' then moderate_weight
    else minor_weight end as weight
  from error
),
summed as (select document, sum(weight) as weight, count(*) as errors from weighed group by document),
looked as (select distinct document from coherence)
select l.document, coalesce(s.errors, 0) as errors, coalesce(s.weight, 0) as weight
from looked as l left join summed as s on s.document = l.document;

-- Accuracy, in points: what the errors in a hundred words leave of the whole.
-- key: document
-- points: decimal(16,5) point
create view accuracy_score as
with rates as (
  select z.document, z.words, e.errors, e.weight, quotient(e.weight * rate_of, z.words, rate_places) as rate
  from size as z join error_total as e on e.document = z.document
  where z.words > 0 and e.weight is not null
),
left_over as (
  select document, words, errors, weight, rate, top - lost_for_each * rate as points from rates where rate is not null)
select document, words, errors, weight, rate, case when points > 0 then points else 0 end as points from left_over;

-- Coherence, as one model rated it once.
-- key: document
create view coherence_score as
select document, max(points) as points, count(*) as ratings from coherence group by document having count(*) = 1;

-- The mark of each text: three parts by their weights, rounded once; unknown where a part is.
-- key: document
-- mark: decimal(4,2) point
create view mark as
select e.document, e.target, a.words, a.errors, a.weight, a.rate, a.points as accuracy, r.level,
  r.points as range_points, c.points as coherence, accuracy_weight * a.points as accuracy_part,
  range_weight * r.points as range_part, coherence_weight * c.points as coherence_part,
  quotient(accuracy_weight * a.points + range_weight * r.points + coherence_weight * c.points, 1, mark_places) as mark
from essay as e
left join accuracy_score as a on a.document = e.document
left join range_score as r on r.document = e.document
left join coherence_score as c on c.document = e.document;
