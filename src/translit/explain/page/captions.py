# ruff: noqa: E501 (captions are sentences, one a line)
"""What only the page says, in English and Chinese; panels share the captions of the terminal where they can."""

from __future__ import annotations

from translit.explain.language import Texts

# "x.note" is the one sentence of a panel for a high-school reader.
TEXTS: Texts = {
    # The frame
    "skip": ("Skip to the panels", "跳到内容"),
    "language": ("Language of this page", "本页语言"),
    "source": ("Source", "原文"),
    "translation": ("Translation", "译文"),
    "given": ("Translation (given)", "译文（给定）"),
    "repaired": ("Translation (put right)", "译文（改正过）"),
    "final": (
        "With copied parts and punctuation put right: {text}",
        "放回照抄的部分、改好标点以后：{text}",
    ),
    "hint": (
        "The numbers come from real runs of the model. Pick a character of the translation, or use the arrow keys.",
        "这里的数都来自模型的真实运行。点译文里的字，或者按左右方向键。",
    ),
    "sentence": ("Sentence", "句子"),
    "step": ("Step", "步"),
    "step.of": ("Step {step} of {steps}", "第 {step} 步，共 {steps} 步"),
    "step.value": (
        "step {step} of {steps}: {token}, {percent}",
        "第 {step} 步，共 {steps} 步：{token}，{percent}",
    ),
    "back": ("One step back", "退一步"),
    "forward": ("One step forward", "进一步"),
    "play": ("Watch it write", "看它写"),
    "pause": ("Pause", "暂停"),
    "tabs": ("Panels", "内容"),
    "tab.steps": ("Step by step", "逐步"),
    "tab.heads": ("Attention", "注意力"),
    "tab.words": ("Why", "为什么"),
    "tab.lens": ("Layer by layer", "逐层"),
    "tab.beam": ("Search", "搜索"),
    "tab.road": ("The road", "数据之路"),
    "tab.tour": ("Pen and paper", "用纸笔算"),
    "glossary": ("Words used here", "术语表"),
    "made_with": (
        "Made by translit {version} · {model}, {parameters} M parameters, {encoder} encoder and {decoder} decoder layers of {heads} heads · {search}",
        "由 translit {version} 生成 · {model}，{parameters} 百万个参数，编码器 {encoder} 层，解码器 {decoder} 层，每层 {heads} 个头 · {search}",
    ),
    "scroll": ("{name}; scrolls sideways", "{name}；可以左右滚动"),
    "nothing": ("nothing", "无"),
    # Steps
    "next": ("What comes next?", "下一个写什么？"),
    "next.note": (
        "The model reads what it has written so far and gives every token it knows a probability; the coloured one was written.",
        "模型读已经写下的字，给它认识的每个词元一个概率；有颜色的就是写下的那个。",
    ),
    "next.rest": ("{count} others", "其余 {count} 个"),
    "look": ("Where does it look?", "它在看哪里？"),
    "look.note": (
        "To choose this token it looked back at the source; the stronger the line, the more attention.",
        "为了选这个词元，它回头看原文；线越粗，注意力越多。",
    ),
    "look.by": ("Seen by", "由谁看"),
    "look.average": ("all heads averaged", "所有头的平均"),
    "look.picture": ("{token} looks at: {list}", "{token} 看着：{list}"),
    "look.column": ("{token} is looked at by: {list}", "看着 {token} 的：{list}"),
    "look.self": (
        "Here it looks at what it has already written; what comes later is hidden by the mask.",
        "这里它看的是自己已经写下的；后面的被掩码遮住。",
    ),
    "sure": ("How sure was it?", "它有多大把握？"),
    "sure.note": (
        "Each point is a step; where the two lines come close, it was a near thing.",
        "每个点是一步；两条线靠得近的地方，它差点写了别的。",
    ),
    "sure.written": ("written", "写下的"),
    "sure.rival": ("strongest rival", "最强的对手"),
    "all": ("All steps", "所有步骤"),
    "all.note": ("The same, as a table; press a row to go there.", "同样的内容列成表；点一行就跳到那一步。"),
    "all.read": ("It has read", "已读到"),
    "all.wrote": ("and wrote", "写下"),
    "all.probability": ("Probability", "概率"),
    "all.others": ("It also thought of", "还想过"),
    "all.entropy": ("Entropy (bits)", "熵（比特）"),
    # Heads
    "heads": ("Every head has its own angle", "每个头有自己的角度"),
    "heads.note": (
        "A row shows where one token looks. A strong colour means much attention; each row adds up to 100 %, but for rounding.",
        "每一行表示一个词元看向哪里。颜色越浓，注意力越多；每行加起来是 100 %（有舍入误差）。",
    ),
    "heads.kind": ("Kind", "种类"),
    "heads.layer": ("Layer", "层"),
    "heads.head": ("Head", "头"),
    "heads.average": ("average", "平均"),
    "heads.all": ("All heads at once", "所有头一览"),
    "heads.all.note": ("Press a small picture to enlarge it.", "点小图可以放大。"),
    "heads.mask": ("hatched: the future, hidden by the mask", "斜线：还没写的未来，被掩码遮住"),
    "heads.readout": (
        "Point at a cell, or press Tab and use the arrow keys.",
        "把鼠标放到格子上，或者按 Tab 再用方向键。",
    ),
    "heads.cell": ("{row} looks at {column}: {value}", "{row} 看 {column}：{value}"),
    "heads.cell.hidden": (
        "{row} may not look at {column}: it is not written yet",
        "{row} 不能看 {column}：它还没写出来",
    ),
    "heads.focus": ("entropy {bits} bits on average: {mood}", "平均熵 {bits} 比特：{mood}"),
    "heads.focus.narrow": ("it looks at few tokens", "只看少数几个词元"),
    "heads.focus.wide": ("it spreads its look", "看得比较分散"),
    "heads.sink": (
        "A sink: {share} of its attention is parked on {token}, which has no meaning of its own.",
        "注意力汇聚点：{share} 的注意力停在本身没有含义的 {token} 上。",
    ),
    "heads.trained": (
        "The model's config names this head as its aligner.",
        "模型的配置把这个头定为对齐头。",
    ),
    "heads.aligns": (
        "Picked by rule for this sentence: of all heads it looks most like an alignment.",
        "按规则为这句话选的：所有头里，它最像在对齐词语。",
    ),
    "heads.name": ("{kind}, layer {layer}, head {head}", "{kind}，第 {layer} 层，第 {head} 头"),
    # Words
    "words.attention": ("What it looked at", "它看了什么"),
    "words.attention.note": (
        "Rows: the translation. Columns: the source. A frame marks the word that got the most attention.",
        "行是译文，列是原文。框出的是得到注意力最多的词。",
    ),
    "words.needed": ("What it needed", "它需要什么"),
    "words.needed.note": (
        "Each source word was taken out in turn. Red: without it the character became less probable. Blue: more probable.",
        "依次去掉原文的每个词。红色：没有它，这个字的概率降低。蓝色：反而升高。",
    ),
    "words.cell": ("{row}: {value} of the attention on {column}", "{row}：{value} 的注意力在 {column} 上"),
    "words.drop": (
        "without {column}, the probability of {row} falls to {factor} of what it was ({value} nats)",
        "没有 {column}，{row} 的概率变为原来的 {factor}（{value} 奈特）",
    ),
    "words.rise": (
        "without {column}, the probability of {row} rises to {factor} of what it was ({value} nats)",
        "没有 {column}，{row} 的概率升到原来的 {factor}（{value} 奈特）",
    ),
    "words.which": ("Attention of", "注意力来自"),
    "words.scale": (
        "Fall of the log-probability (nats); the colour is full at 3, a probability divided by 20.",
        "对数概率的下降（奈特）；到 3 时颜色最浓，也就是概率除以 20。",
    ),
    # Lens
    "lens.curve": ("How this token came about", "这个词元是怎样浮现的"),
    "lens.curve.note": (
        "Step {step}, “{token}”: its probability if the model stopped after each layer.",
        "第 {step} 步，“{token}”：如果模型算到某一层就停下，它的概率是多少。",
    ),
    "lens.curve.decoder": ("Decoder layers", "解码器各层"),
    "lens.curve.encoder": ("Encoder layers", "编码器各层"),
    "lens.curve.gaps": (
        "A rival is drawn only where it is among a layer's first three.",
        "对手只在它排进该层前三名的地方画出。",
    ),
    "lens.cell": (
        "layer {layer}: {list}; {token} itself {value}, rank {rank}",
        "第 {layer} 层：{list}；{token} 自己 {value}，第 {rank} 名",
    ),
    "lens.free": ("Written freely from each encoder layer", "从编码器每一层自由写出的译文"),
    "lens.free.note": (
        "From which layer on is it right? Short sentences often are from the input on, long ones late.",
        "从哪一层起写对了？短句往往从输入起就对，长句要到后面的层。",
    ),
    "lens.mark": (
        "Framed: the token that was really written. Numbers are percent.",
        "带框：真正写下的词元。数字是百分比。",
    ),
    # Beam
    "beam.note": (
        "The search follows the {beam} best beginnings side by side. Red is the winner; numbers are log-probabilities of everything up to there, closer to 0 is better.",
        "搜索同时跟着 {beam} 个最好的开头走。红色是赢家；数字是写到那里的总对数概率，越接近 0 越好。",
    ),
    "beam.readout": (
        "Point at a token, or press Tab and use the arrow keys.",
        "把鼠标放到词元上，或者按 Tab 再用方向键。",
    ),
    "beam.ended.note": (
        "Score = log-probability / length^{alpha} (length in tokens, with </s>), so that a translation does not lose only because it is long.",
        "得分 = 对数概率 / 长度^{alpha}（长度按词元数，包括 </s>），这样译文不会只因为长就输。",
    ),
    "beam.dropped": ("Show what was dropped at once", "显示马上被丢弃的"),
    "beam.node": (
        "{text}: log-probability of the token {log_prob}, of everything so far {score}; {fate}",
        "{text}：这个词元的对数概率 {log_prob}，到此为止的总和 {score}；{fate}",
    ),
    "beam.fate.kept": ("kept", "留下"),
    "beam.fate.ended": ("finished, score {score}", "写完，得分 {score}"),
    "beam.fate.dropped": ("dropped", "丢弃"),
    "beam.ended": ("Finished translations", "写完的译文"),
    "beam.score": ("Score", "得分"),
    "beam.log_prob": ("Log-probability", "对数概率"),
    "beam.none": (
        "No search wrote this translation: it was given with --target, or put right after the search.",
        "这个译文不是搜索出来的：它是用 --target 给定的，或者是搜索之后改正过的。",
    ),
    # Road
    "road.more": ("{shown} of {all} columns", "{all} 列里的 {shown} 列"),
    "road.open": ("Open all", "全部展开"),
    "road.close": ("Close all", "全部收起"),
    # Tour
    "tour.note": (
        "Press any number of a result to see how it is computed; the numbers it is made of light up.",
        "点结果里的任意一个数，就能看到它怎样算出；用到的数会亮起来。",
    ),
    "tour.rounding": (
        "As on paper, every result is rounded to {decimals} decimals before the next step uses it.",
        "和纸上一样，每一步的结果先四舍五入到 {decimals} 位小数，再进入下一步。",
    ),
    "tour.try": ("Do it yourself in the terminal:", "在终端里自己试："),
}
