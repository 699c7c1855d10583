# ruff: noqa: E501 (captions are sentences, one a line)
"""Every caption of the explanations, in English and Chinese, and the glossary."""

from __future__ import annotations

# name → (English, Chinese). "x.title" heads a panel, "x.note" is its one sentence for a high-school reader.
TEXTS: dict[str, tuple[str, str]] = {
    # The first lines
    "sentence": ("Sentence {number} of {count}", "第 {number} 句，共 {count} 句"),
    "finished": ("finished (punctuation, copied parts): {text}", "整理之后（标点、照抄的部分）：{text}"),
    "repaired": (
        "The model itself wrote: {text} — that loses or doubles something that must be kept, so it was put right where the model finds it likeliest. Explained is what came of it.",
        "模型自己写的是：{text} ——必须保留的内容有漏掉或重复的，已经放到模型认为最合适的位置。下面解释的是改正后的译文。",
    ),
    "made_by": (
        "model {model} · {parameters:.1f} M parameters · {search} · log-probability {log_prob}",
        "模型 {model} · {parameters:.1f} 百万个参数 · {search} · 对数概率 {log_prob}",
    ),
    "search.greedy": ("greedy", "贪心"),
    "search.beam": ("beam {beam}", "集束宽度 {beam}"),
    "search.given": ("given translation", "给定的译文"),
    "search.repaired": ("put right after the search", "搜索后改正"),
    "more": ("More: {options}", "继续看：{options}"),
    # Steps
    "steps.title": ("Step by step", "一步一步地写"),
    "steps.note": (
        "At each step the model reads what it has written and gives every token it knows a probability; "
        "▶ marks the one it wrote. Below: how sure it was of its favourite "
        "(certain from 85 %, quite sure from 60 %, hesitating from 30 %), "
        "and the entropy in bits, which counts all the others, too.",
        "每一步，模型都先读已经写下的字，再给它认识的每个词元一个概率；▶ 是它写下的那个。"
        "下面先说它对首选有多大把握（85 % 起很确定，60 % 起比较有把握，30 % 起在犹豫），再给出熵（比特），熵把其余所有词元也算进去。",
    ),
    "steps.entropy": ("{mood} · entropy {bits:.2f}", "{mood} · 熵 {bits:.2f}"),
    "steps.rank": ("rank {rank}", "第 {rank} 名"),
    "mood.certain": ("certain", "很确定"),
    "mood.sure": ("quite sure", "比较有把握"),
    "mood.unsure": ("hesitating", "在犹豫"),
    "mood.guess": ("guessing", "在猜"),
    "given.title": ("The given translation, token by token", "给定的译文，逐个词元看"),
    "given.note": (
        "The model was made to write this translation: how probable was each token, "
        "and what would it have written itself?",
        "让模型照着这个译文写：每个词元的概率有多大？它自己本来会写什么？",
    ),
    "repaired.title": ("The translation, token by token", "逐个词元看译文"),
    "repaired.note": (
        "The model was made to write the translation as it was put right: how probable was each token, "
        "and what would it have written itself?",
        "让模型照着改正后的译文写：每个词元的概率有多大？它自己本来会写什么？",
    ),
    "given.token": ("Token", "词元"),
    "given.probability": ("Probability", "概率"),
    "given.rank": ("Rank", "名次"),
    "given.instead": ("The model's own choice", "模型自己的选择"),
    "given.same": ("the same", "相同"),
    # Alignment
    "alignment.title": ("Which word each character looked at", "每个字看着哪个词"),
    "alignment.note": (
        "Each row is a piece of the translation, each column a source word; "
        "the darker the square, the more attention it got.",
        "每一行是译文的一个字，每一列是原文的一个词；格子越深，得到的注意力越多。",
    ),
    "alignment.trained": (
        "layer {layer} head {head}, the model's aligner",
        "第 {layer} 层第 {head} 头（模型的对齐头）",
    ),
    "alignment.chosen": (
        "layer {layer} head {head} (picked by rule)",
        "第 {layer} 层第 {head} 头（按规则选的）",
    ),
    "alignment.average": ("all heads averaged", "所有头的平均"),
    "legend": ("share of attention", "注意力占比"),
    # Tables per head
    "kind.cross": ("Cross-attention", "交叉注意力"),
    "kind.decoder": ("Decoder self-attention", "解码器自注意力"),
    "kind.encoder": ("Encoder self-attention", "编码器自注意力"),
    "kind.cross.note": (
        "Rows: the token being chosen. Columns: the source tokens it looks at. Numbers are percent; a row adds up to 100, but for rounding.",
        "行：正在选的词元。列：它看着的原文词元。数字是百分比，每行加起来是 100（有舍入误差）。",
    ),
    "kind.decoder.note": (
        "Rows: the token being chosen. Columns: what was already written. The future does not exist yet, so it is empty.",
        "行：正在选的词元。列：已经写下的词元。未来还不存在，所以是空的。",
    ),
    "kind.encoder.note": (
        "Rows and columns: source tokens. A row shows where that token looks to understand itself in its sentence.",
        "行和列都是原文词元。每一行表示这个词元为了理解自己在句中的意思而看向哪里。",
    ),
    "head": ("layer {layer} head {head}", "第 {layer} 层第 {head} 头"),
    "head.focus": ("{bits:.1f} bits", "{bits:.1f} 比特"),
    "head.sink": (
        "* a sink: {share} of the attention is parked on {token}",
        "* 注意力汇聚点：{share} 的注意力停在 {token} 上",
    ),
    # Beam
    "beam.title": ("The beam tree", "集束搜索树"),
    "beam.note": (
        "The search follows the {beam} best beginnings side by side. "
        "★ is the winner, one token a line; the others stand on one line each. A branch ├ grows out of the ★ above it, one further in "
        "out of the branch above it. Numbers are log-probabilities of everything so far, closer to 0 is better.",
        "搜索同时跟着 {beam} 个最好的开头走。★ 是赢家，一行一个词元，其他的枝各占一行；├ 是从上方的 ★ 分出的枝，再缩进的从上方的枝分出。"
        "数字是到此为止的对数概率，越接近 0 越好。",
    ),
    "beam.score": ("score {score}", "得分 {score}"),
    "beam.lost": ("out", "出局"),
    "beam.ended": (
        "Finished translations, score = log-probability / length^{alpha:g} (length in tokens, with </s>):",
        "写完的译文，得分 = 对数概率 / 长度^{alpha:g}（长度按词元数，包括 </s>）：",
    ),
    "beam.decided": (
        "From step {step} on the winner led to the end.",
        "从第 {step} 步起，赢家一直领先到最后。",
    ),
    "beam.decided.length": (
        "The winner did not lead at its last step: it won when the lengths were weighed.",
        "赢家在最后一步并没有领先：它是在除以长度之后才赢的。",
    ),
    "beam.split": (
        "Its best rival parted from it at step {step}: {winner} against {rival} (of this token alone).",
        "最强的对手在第 {step} 步和它分开：{winner} 对 {rival}（只算这一个词元）。",
    ),
    "beam.not_greedy": (
        "Greedy search, always taking the most probable token, would have gone another way at step {step}.",
        "如果每步都取概率最大的词元（贪心搜索），第 {step} 步就会走上另一条路。",
    ),
    # Lens
    "lens.decoder.title": ("The lens on the decoder", "解码器透镜"),
    "lens.decoder.note": (
        "What would be written if the decoder stopped after this layer, with its probability in percent. The input row "
        "repeats the token just read, because the output matrix is the embedding table: the layers turn “this word” "
        "into “the next word”.",
        "如果解码器算到这一层就停下，会写出什么，数字是概率（%）。“输入”一行重复刚读到的词元，因为输出矩阵就是嵌入表："
        "各层把“这个词”变成“下一个词”。",
    ),
    "lens.encoder.title": ("The lens on the encoder", "编码器透镜"),
    "lens.encoder.note": (
        "What the whole decoder would write if the encoder stopped after this layer.",
        "如果编码器算到这一层就停下，整个解码器会写出什么。",
    ),
    "lens.free": (
        "Written freely (greedily) from each encoder layer:",
        "从编码器每一层自由写出的译文（贪心）：",
    ),
    "lens.mark": ("* the token that was really written", "* 真正写下的词元"),
    "lens.corner": ("Layer ＼ step", "层 ＼ 步"),
    "lens.embedding": ("input", "输入"),
    # Why
    "why.title": ("Attention is not causation", "注意力不等于原因"),
    "why.note": (
        "Looked at is not the same as needed: here each source word is taken out in turn, the translation is kept, "
        "and we see how much less probable each character becomes (occlusion). = marks where both name the same word.",
        "看着一个词，不等于需要它：依次去掉原文的每个词，译文不变，看每个字的概率降了多少（遮挡法）。= 表示两者指向同一个词。",
    ),
    "why.written": ("Written", "写下"),
    "why.looked": ("Looked at most", "看得最多"),
    "why.needed": ("Needed most", "最需要"),
    "why.effect": ("Probability with → without", "概率：有它 → 没它"),
    "why.none": ("no single word", "没有哪一个词"),
    "why.picture": (
        "fall of log-probability (nats): {legend}",
        "对数概率的下降（奈特）：{legend}",
    ),
    "why.agree.aligned_head": (
        "Layer {layer} head {head} and occlusion name the same word for {same} of {words} ({share}); "
        "rank correlation of all pairs {spearman} (1: the same order, 0: no relation).",
        "第 {layer} 层第 {head} 头和遮挡法指向同一个词：{words} 个里有 {same} 个（{share}）；全部配对的等级相关系数 {spearman}（1 是顺序相同，0 是无关）。",
    ),
    "why.agree.average": (
        "The average of all heads and occlusion: {same} of {words} ({share}); rank correlation {spearman}.",
        "所有头的平均和遮挡法：{words} 个里有 {same} 个（{share}）；等级相关系数 {spearman}。",
    ),
    # Flow
    "flow.title": ("How it flows", "数据怎样流过模型"),
    "flow.note": (
        "The road of the sentence through the model, with real numbers. Followed closely: layer {encoder} of the encoder, layer {decoder} of the decoder, head {head} of {heads}.",
        "这句话走过模型的路，数字都是真的。仔细跟踪的是：编码器第 {encoder} 层，解码器第 {decoder} 层，{heads} 个头里的第 {head} 个。",
    ),
    "flow.text": (
        "Text becomes tokens, and each token a number in the vocabulary.",
        "文字变成词元，每个词元在词表里有一个编号。",
    ),
    "flow.encoder": ("Encoder", "编码器"),
    "flow.memory": ("Memory", "记忆"),
    "flow.decoder": ("Decoder", "解码器"),
    "flow.output": ("Output", "输出"),
    "flow.repeat": (
        "… and the same again: {layers} layers in all, each fed by the one before.",
        "……然后重复：一共 {layers} 层，每一层读上一层的结果。",
    ),
    "flow.more_rows": ("… {rows} more rows", "……还有 {rows} 行"),
    "stage.embedding": (
        "Embedding: every token gets its row of the table, times √d.",
        "嵌入：每个词元取表里自己的一行，乘以 √d。",
    ),
    "stage.positions": (
        "Positions: a wave of sines and cosines tells where a token stands.",
        "位置：正弦和余弦的波，告诉模型词元排在第几。",
    ),
    "stage.input": ("The sum of both enters the first layer.", "两者相加，进入第一层。"),
    "stage.self.q": ("Queries: what each token asks for.", "查询 Q：每个词元想问什么。"),
    "stage.self.k": ("Keys: what each token offers to be found by.", "键 K：每个词元拿什么让别人找到。"),
    "stage.self.v": (
        "Values: what each token hands over when it is looked at.",
        "值 V：被看到时，每个词元交出什么。",
    ),
    "stage.self.scores": ("Scores: how well each query fits each key.", "分数：每个查询和每个键有多匹配。"),
    "stage.self.mask": (
        "Mask: where a token may look. ■ yes, · hidden.",
        "掩码：词元可以看哪里。■ 可以，· 遮住。",
    ),
    "stage.self.weights": (
        "Softmax turns scores into shares that add up to 1.",
        "softmax 把分数变成加起来等于 1 的份额。",
    ),
    "stage.self.head": (
        "The head's answer: values blended by those shares.",
        "这个头的回答：按份额混合的值。",
    ),
    "stage.self.concat": (
        "All heads' answers side by side (head:dimension, two numbers of each).",
        "所有头的回答并排放好（头:维，每个头显示两个数）。",
    ),
    "stage.self.output": ("W_O mixes the heads.", "W_O 把各个头混合起来。"),
    "stage.cross.q": ("Cross-attention: the decoder's queries …", "交叉注意力：解码器的查询……"),
    "stage.cross.k": ("… meet the keys of the source …", "……遇到原文的键……"),
    "stage.cross.v": ("… and will receive the source's values.", "……并将取得原文的值。"),
    "stage.cross.scores": (
        "Scores of every target token against every source token.",
        "每个目标词元对每个原文词元的分数。",
    ),
    "stage.cross.mask": (
        "Mask: the whole source may be seen; only padding would be hidden.",
        "掩码：整个原文都可以看，只有填充会被遮住。",
    ),
    "stage.cross.weights": (
        "Softmax: where each target token looks in the source.",
        "softmax：每个目标词元看着原文的哪里。",
    ),
    "stage.cross.head": ("The source values blended by those shares.", "按份额混合的原文的值。"),
    "stage.cross.concat": (
        "All heads' answers side by side (head:dimension, two numbers of each).",
        "所有头的回答并排放好（头:维，每个头显示两个数）。",
    ),
    "stage.cross.output": ("W_O mixes the heads.", "W_O 把各个头混合起来。"),
    "stage.add_norm.post": (
        "Add & Norm: add what came in, then bring each row to mean 0 and variance 1.",
        "残差与层归一化：加上原来的输入，再让每一行的平均为 0、方差为 1。",
    ),
    "stage.add_norm.pre": (
        "Add: what came in is added, so nothing gets lost. (The Norm of Add & Norm came before the part.)",
        "残差：加上原来的输入，什么都不会丢。（“残差与层归一化”里的归一化已经在这个部分之前做过。）",
    ),
    "stage.norm": (
        "Norm: each row is brought to mean 0 and variance 1, then scaled and shifted as learnt. This model does it "
        "before each part (pre-norm), the paper after it.",
        "层归一化：让每一行的平均为 0、方差为 1，再按学到的数缩放和平移。这个模型在每个部分之前做（pre-norm），论文在之后做。",
    ),
    "stage.ffn.inner.relu": (
        "Feed-forward, first half: a wide layer that drops what is negative.",
        "前馈网络前半：变宽，并压掉负数。",
    ),
    "stage.ffn.inner.gelu": (
        "Feed-forward, first half: a wide layer that shrinks what is negative to nearly 0.",
        "前馈网络前半：变宽，并把负数压到接近 0。",
    ),
    "stage.ffn.output": (
        "Feed-forward, second half: back to the old width.",
        "前馈网络后半：变回原来的宽度。",
    ),
    "stage.memory": (
        "What leaves the encoder after its last layer: the memory, which the decoder will ask.",
        "编码器走完最后一层的输出：记忆，解码器会来询问它。",
    ),
    "stage.last": (
        "What leaves the decoder, one row a step.",
        "解码器的输出，每一步一行。",
    ),
    "stage.logits": (
        "Linear: every token of the vocabulary gets a score (shown: the tokens that were written).",
        "线性层：给词表里每个词元打分（只显示写下的那些词元）。",
    ),
    "flow.softmax": (
        "Softmax over {vocabulary:,} tokens: the probabilities of each step.",
        "对 {vocabulary:,} 个词元做 softmax：每一步的概率。",
    ),
    "training.title": ("The same sentence in training", "训练时的同一句话"),
    "training.note": (
        "In training all blanks are filled in at once: the decoder reads the target shifted right by <s>, "
        "and the mask hides the answers. Loss = −ln(probability of the answer). (Label smoothing, §5.4 of the paper, asks "
        "for a little probability on all other tokens, too: so even the surest choice stays below 100 %.)",
        "训练时所有的空一次填完：解码器读的是右移一位（前面加 <s>）的译文，掩码遮住答案。损失 = −ln(答案的概率)。"
        "（论文 5.4 节的标签平滑还要求给其他词元留一点概率，所以再有把握的选择也到不了 100 %。）",
    ),
    "training.question": ("Question", "填空"),
    "training.answer": ("Answer", "答案"),
    "training.probability": ("Probability", "概率"),
    "training.loss": ("Loss", "损失"),
    "training.mean": ("mean", "平均"),
    # translit heads
    "heads.about": (
        "model {model} · {encoder} encoder and {decoder} decoder layers of {heads} heads · {sentences:,} sentences, {tokens:,} tokens",
        "模型 {model} · 编码器 {encoder} 层，解码器 {decoder} 层，每层 {heads} 个头 · {sentences:,} 句，{tokens:,} 个词元",
    ),
    "heads.progress.attention": ("looking at attention", "观察注意力"),
    "heads.progress.alignment": ("comparing alignments", "比较对齐"),
    "heads.progress.relations": ("following grammar", "跟踪语法关系"),
    "heads.progress.importance": ("silencing heads", "逐个关掉头"),
    "heads.found.title": ("What stands out", "最突出的"),
    "heads.found.note": (
        "★ marks heads with a clear habit, strongest first, with the number that proves it; "
        "below, the heads that come closest to the other habits.",
        "★ 是习惯明显的头，从强到弱，后面是证明它的数字；下面是最接近其他习惯的头。",
    ),
    "heads.kind.note": (
        "Shares of a head's attention in percent. Sep: on <s> and </s>; Punct: on punctuation; Rare: on the rarest tokens, "
        "10 % of the text; Dist: mean distance in tokens; Bits: how widely it looks; mixed: no clear habit.",
        "头的注意力占比（%）。分隔：<s> 和 </s>；标点：标点符号；罕见：最少见的词元，占文本的 10 %；距离：平均隔几个词元；"
        "比特：注意力有多分散；混合：没有明显的习惯。",
    ),
    "heads.kind.silenced": ("Δloss = what it costs to silence it.", "Δ损失 = 关掉它的代价。"),
    "heads.few": (
        "Only {sentences} sentences: these numbers are rough. Give {enough} or more to rely on them.",
        "只有 {sentences} 句：这些数字很粗略。至少给 {enough} 句才可靠。",
    ),
    "heads.name.cross": ("cross layer {layer} head {head}", "交叉注意力第 {layer} 层第 {head} 头"),
    "heads.name.decoder": ("decoder layer {layer} head {head}", "解码器第 {layer} 层第 {head} 头"),
    "heads.name.encoder": ("encoder layer {layer} head {head}", "编码器第 {layer} 层第 {head} 头"),
    "heads.column.head": ("Head", "头"),
    "heads.column.previous": ("Prev", "前一"),
    "heads.column.same": ("Self", "自己"),
    "heads.column.next": ("Next", "后一"),
    "heads.column.separators": ("Sep", "分隔"),
    "heads.column.punctuation": ("Punct", "标点"),
    "heads.column.rare": ("Rare", "罕见"),
    "heads.column.distance": ("Dist", "距离"),
    "heads.column.entropy": ("Bits", "比特"),
    "heads.column.aer": ("AER", "AER"),
    "heads.column.aer_annotated": ("AER*", "AER*"),
    "heads.column.aer_after": ("AER+1", "AER+1"),
    "heads.column.importance": ("Δloss", "Δ损失"),
    "heads.column.role": ("Habit", "习惯"),
    "heads.legend.cross": (
        "AER: alignment error rate, every target word linked to the source word it looks at most; AER*: only words that the annotators aligned; AER+1: read one step later.",
        "AER：对齐错误率，每个译文词连到它看得最多的原文词；AER*：只算标注者对齐过的词；AER+1：晚一步读。",
    ),
    "heads.legend.others": (
        "For comparison: the mean of all heads has AER {average:.2f}, the diagonal {diagonal:.2f}.",
        "对照：所有头的平均 AER 为 {average:.2f}，对角线为 {diagonal:.2f}。",
    ),
    "heads.legend.unmatched": (
        "{count} aligned sentences were left out: they are empty, or their words do not spell the text.",
        "有 {count} 个标注句没有用上：是空行，或者词和原文对不上。",
    ),
    "heads.role.aligns": ("aligns", "对齐"),
    "heads.role.previous": ("previous token", "看前一个词元"),
    "heads.role.next": ("next token", "看后一个词元"),
    "heads.role.same": ("the token itself", "看自己"),
    "heads.role.separators": ("parks on {separator}", "停在 {separator}"),
    "heads.role.punctuation": ("punctuation", "看标点"),
    "heads.role.rare": ("rare words", "看罕见词"),
    "heads.role.local": ("nearby", "看附近"),
    "heads.role.mixed": ("mixed", "混合"),
    "heads.proof.aligns": (
        "aligns: AER {value} (the diagonal: {diagonal:.2f})",
        "对齐：AER {value}（对角线 {diagonal:.2f}）",
    ),
    "heads.proof.previous": (
        "looks at the token before: {value} of its attention",
        "看前一个词元：占注意力的 {value}",
    ),
    "heads.proof.next": (
        "looks at the token after: {value} of its attention",
        "看后一个词元：占注意力的 {value}",
    ),
    "heads.proof.same": (
        "looks at the token itself: {value} of its attention",
        "看词元自己：占注意力的 {value}",
    ),
    "heads.proof.separators": (
        "parks on <s> or </s>: {value} of its attention",
        "停在 <s> 或 </s>：占注意力的 {value}",
    ),
    "heads.proof.punctuation": (
        "looks at punctuation: {value} of its attention",
        "看标点：占注意力的 {value}",
    ),
    "heads.proof.rare": (
        "looks at rare words: {value} (a tenth of all tokens)",
        "看罕见词：占注意力的 {value}（词元的 10 % 罕见）",
    ),
    "heads.proof.local": (
        "looks nearby: {value} tokens away on average",
        "看附近：平均距离 {value} 个词元",
    ),
    "heads.important.title": ("Which heads matter", "哪些头重要"),
    "heads.important.note": (
        "Each head is silenced in turn, and the loss rises (nats a token; {sentences} sentences, {loss:.3f} with all heads).",
        "依次关掉每个头，看损失升高多少（奈特/词元；{sentences} 句，不关时 {loss:.3f}）。",
    ),
    "heads.important.few": (
        "{count} of {total} heads cost less than 0.005 each when silenced alone.",
        "{total} 个头里有 {count} 个，单独关掉时代价不到 0.005。",
    ),
    "heads.layers.title": ("Low, middle and high layers", "低层、中层、高层"),
    "heads.layers.note": (
        "Articles say that low layers look nearby and high layers look far. Does this model bear it out?",
        "文章常说：低层看近处，高层看远处。这个模型是这样吗？",
    ),
    "heads.column.layer": ("Layer", "层"),
    "heads.column.neighbours": ("Self+near", "自己和邻近"),
    "heads.layers.yes": (
        "{kind}: yes. From the lowest to the highest layer the mean distance grows from {first:.1f} to {last:.1f} tokens (rank correlation {rank}).",
        "{kind}：是的。从最低层到最高层，平均距离从 {first:.1f} 增加到 {last:.1f} 个词元（等级相关 {rank}）。",
    ),
    "heads.layers.no": (
        "{kind}: no. From the lowest to the highest layer the mean distance shrinks from {first:.1f} to {last:.1f} tokens (rank correlation {rank}).",
        "{kind}：不是。从最低层到最高层，平均距离从 {first:.1f} 减少到 {last:.1f} 个词元（等级相关 {rank}）。",
    ),
    "heads.layers.unknown": (
        "{kind}: cannot tell. From the lowest to the highest layer the mean distance goes from {first:.1f} to {last:.1f} tokens; {layers} layers and {sentences:,} sentences do not prove a trend (rank correlation {rank}).",
        "{kind}：说不准。从最低层到最高层，平均距离从 {first:.1f} 变成 {last:.1f} 个词元；{layers} 层、{sentences:,} 句还看不出趋势（等级相关 {rank}）。",
    ),
    "heads.relations.title": ("Grammar", "语法"),
    "heads.relations.note": (
        "For each relation the encoder head that follows it best: how often the other word it looks at most is the right one, against always looking at the best fixed distance.",
        "每种语法关系里跟得最好的编码器头：它看得最多的另一个词有多少次是对的；对照是总看同一个固定距离。",
    ),
    "heads.column.relation": ("Relation", "关系"),
    "heads.column.direction": ("Looks", "方向"),
    "heads.column.count": ("Count", "次数"),
    "heads.column.accuracy": ("Right", "正确"),
    "heads.column.baseline": ("Fixed", "固定"),
    "heads.relations.proof": ("follows it", "跟踪"),
    "heads.relations.weak": ("no better", "不比固定距离好"),
    "heads.relations.unmatched": (
        "{count} of {total} trees were left out: their words do not spell the text.",
        "{total} 棵句法树里有 {count} 棵没有用上：它们的词和原文对不上。",
    ),
    "heads.direction.to head": ("to its head", "看中心词"),
    "heads.direction.to dependent": ("to its dependent", "看从属词"),
    "heads.advice": (
        "The best aligner is cross-attention layer {layer} head {head}. To let `translit explain` use it, run this again with --save.",
        "对齐最好的是交叉注意力第 {layer} 层第 {head} 头。要让 `translit explain` 用它，请加上 --save 再运行一次。",
    ),
    "heads.trained": (
        "The model's aligned head is cross-attention layer {layer} head {head}: AER {aer:.3f}, on annotated words {annotated:.3f} ({sentences} sentences).",
        "模型的对齐头是交叉注意力第 {layer} 层第 {head} 头：AER {aer:.3f}，只算标注过的词 {annotated:.3f}（{sentences} 句）。",
    ),
    "glossary.title": ("Glossary", "术语表"),
}

# key → ((English term, English text), (Chinese term, Chinese text))
GLOSSARY: dict[str, tuple[tuple[str, str], tuple[str, str]]] = {
    "token": (
        ("token", "What the model reads and writes at once: a word, a part of a word, a Chinese character or a mark."),
        ("词元", "模型一次读或写的单位：一个词、词的一部分、一个汉字或一个标点。"),
    ),
    "special": (
        ("<s>, </s>", "Tokens that mean “the sentence begins” and “the sentence ends”. Writing </s> is how the model stops."),
        ("<s>、</s>", "表示“句子开始”和“句子结束”的词元。写出 </s>，模型就停下。"),
    ),
    "embedding": (
        ("embedding", "The list of numbers that stands for a token. It is learnt."),
        ("嵌入", "代表一个词元的一串数字，是学出来的。"),
    ),
    "position": (
        ("position", "A wave of sines and cosines added to the embedding, because attention itself does not know the order."),
        ("位置编码", "加到嵌入上的正弦和余弦波，因为注意力本身不知道先后。"),
    ),
    "encoder": (
        ("encoder", "The half that reads the source: each layer lets every token look at all the others."),
        ("编码器", "读原文的那一半：每一层让每个词元看所有其他词元。"),
    ),
    "decoder": (
        ("decoder", "The half that writes the translation, one token after another."),
        ("解码器", "写译文的那一半，一个词元接一个词元地写。"),
    ),
    "attention": (
        ("attention", "A blend: each token asks (query), compares its question with what others offer (keys), and takes their values in proportion. softmax(QKᵀ/√d_k)·V."),
        ("注意力", "一种混合：每个词元提问（查询），把问题和别人的键比较，再按比例取它们的值。softmax(QKᵀ/√d_k)·V。"),
    ),
    "head": (
        ("head", "One of several attentions side by side, each with its own idea of what to look for."),
        ("头", "并排的几个注意力之一，每个头有自己关注的东西。"),
    ),
    "self": (
        ("self-attention", "Attention inside one sentence."),
        ("自注意力", "一句话内部的注意力。"),
    ),
    "cross": (
        ("cross-attention", "The decoder's look at the source, also called encoder–decoder attention."),
        ("交叉注意力", "解码器看原文的注意力，也叫编码器–解码器注意力。"),
    ),
    "mask": (
        ("mask", "What may not be seen: the future (causal mask) and filling (padding mask)."),
        ("掩码", "不许看的地方：未来（因果掩码）和填充（填充掩码）。"),
    ),
    "add_norm": (
        ("Add & Norm", "Add the input of a part to its output, then bring the numbers to mean 0 and variance 1 (LayerNorm)."),
        ("残差与层归一化", "把一个部分的输入加到输出上，再让数字的平均为 0、方差为 1（LayerNorm）。"),
    ),
    "ffn": (
        ("feed-forward network", "Two linear maps, the same for every position; between them, negative numbers become 0 (ReLU) or nearly 0 (GELU)."),
        ("前馈网络", "两个线性变换，每个位置都一样；中间把负数变成 0（ReLU）或接近 0（GELU）。"),
    ),
    "softmax": (
        ("softmax", "Turns any numbers into positive shares that add up to 1."),
        ("softmax", "把任意一串数变成加起来等于 1 的正数份额。"),
    ),
    "entropy": (
        ("entropy", "How undecided a set of probabilities is, in bits: 0 is certain, 1 is a coin toss."),
        ("熵", "模型有多拿不准，单位是比特：0 是确定，1 像抛硬币。"),
    ),
    "log_probability": (
        ("log-probability", "The logarithm of a probability: 0 is certain, −0.7 is one half, −2.3 is one tenth. Sums instead of products."),
        ("对数概率", "概率的对数：0 是确定，−0.7 是一半，−2.3 是十分之一。用加法代替乘法。"),
    ),
    "greedy": (
        ("greedy search", "Always take the most probable next token."),
        ("贪心搜索", "每一步都取概率最大的词元。"),
    ),
    "beam": (
        ("beam search", "Follow several beginnings side by side and choose the best finished translation."),
        ("集束搜索", "同时跟着几个开头走，最后选最好的译文。"),
    ),
    "teacher_forcing": (
        ("teacher forcing", "Make the decoder read the right translation instead of its own, as in training."),
        ("教师强制", "让解码器读标准译文，而不是自己写的，训练时就是这样。"),
    ),
    "sink": (
        ("sink", "A token without meaning of its own (</s>, a full stop) where a head parks attention it does not need."),
        ("注意力汇聚点", "attention sink：本身没有含义的词元（</s>、句号），头把用不着的注意力停在那里。"),
    ),
    "lens": (
        ("lens", "Asking a middle layer for its answer, as if it were the last."),
        ("透镜", "把中间一层当作最后一层，问它会写什么。"),
    ),
    "occlusion": (
        ("occlusion", "Taking a word out and seeing what changes: a test of cause, which attention is not."),
        ("遮挡法", "去掉一个词，看什么变了：这是对原因的检验，注意力不是。"),
    ),
    "aer": (
        ("AER", "Alignment error rate against alignments made by hand: 0 is perfect, 1 is all wrong."),
        ("AER", "对齐错误率，和人工对齐相比：0 是全对，1 是全错。"),
    ),
}  # fmt: skip
