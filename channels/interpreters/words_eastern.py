"""The words of Polish, Russian, Finnish, Turkish, Japanese, Korean and Chinese.

Japanese and Chinese are written without spaces, so a phrase there is a whole clause: what continues it makes it another
token, which is foreign.
"""

from __future__ import annotations

from .lexicon import Kind, Language, language

_POLISH = language(
    "pl",
    {
        Kind.YES: """tak
            | jak najbardziej""",
        Kind.APPROVE: """zgoda | zgadzam się | wyrażam zgodę | zatwierdzam | zatwierdzone | zatwierdzony
            | zatwierdzona | zatwierdź | zatwierdzić | proszę zatwierdzić | akceptuję | zaakceptowane
            | zaakceptowano | akceptacja | potwierdzam | potwierdzone | aprobuję | nie ma problemu
            | żaden problem | bez problemu | nie mam nic przeciwko | nic przeciwko | bez zastrzeżeń
            | nie mam zastrzeżeń | brak zastrzeżeń | brak sprzeciwu | nie zgłaszam sprzeciwu
            | proszę kontynuować | w porządku | jest w porządku""",
        Kind.NO: "nie",
        Kind.REJECT: """odrzucam | odrzucone | odrzucony | odrzucona | odrzuć | odrzucić | odmawiam | odmowa | odmówić
            | odmówione | niezgoda | brak zgody | sprzeciw | sprzeciwiam się | wykluczone | zabraniam | bez
            zgody
            | raczej nie | lepiej nie | jestem przeciw | jestem przeciwko""",
        Kind.NEGATION: "nigdy | żaden | żadna | żadnej | nic | ani | brak",
        Kind.ACT: """zgody | zgodę | zatwierdzać | zatwierdzenia | akceptacji | akceptować | zezwalam | pozwalam
            | pozwolenia""",
        Kind.FILL: """proszę | dziękuję | dzięki | dziękuję bardzo | cześć | witam | dzień dobry | dobry wieczór
            | to | ten | ta | tę | tego | my | z mojej strony | ode mnie | przepraszam | moja odpowiedź
            | miłego dnia | miłego weekendu | niniejszym""",
        Kind.SURE: "oczywiście | jasne | pewnie | świetnie | dobrze | super | chętnie | doskonale",
        Kind.EMPHASIS: "absolutnie | zdecydowanie | naprawdę | całkowicie",
        Kind.AUXILIARY: """dziękuję za | dzięki za | może | mogę | można | możemy | będę | będzie | chcę
            | chciałbym | muszę | jest | są | być | się | na | wyrażam | mam | ma | do | jeszcze | pan | pani""",
        Kind.REGRET: "niestety | przykro mi",
        Kind.BUT: """ale | jeśli | jeżeli | gdy | o ile | chyba że | lecz | jednak | oprócz | pod warunkiem
            | inaczej | czekaj""",
        Kind.LIMIT: """tylko | jedynie | wyłącznie | maksymalnie | max | maks | najwyżej | do kwoty | nie więcej niż
            | do maksymalnie | maksymalnie do | do wysokości""",
        Kind.HALF: "połowę | połowa | połowy | tylko połowę | na połowę",
        Kind.CONDITION: """później | po | przed | najpierw | kiedy | być może | jutro | dzisiaj | dziś | wczoraj
            | wkrótce | prawdopodobnie | myślę | częściowo | prawie | poniedziałek | wtorek | środa | czwartek
            | piątek | sobota | niedziela | tydzień | miesiąc | dzień | teraz | potem | dopiero | raczej | inny
            | inna | zależy
            | nie wolno mi | nie mam zgody | nie mam pozwolenia""",
        Kind.BECAUSE: "bo | ponieważ | gdyż | dopóki | z powodu",
        Kind.EACH: "oba | obie | obu | na oba | na obie | wszystko | wszystkie | na wszystko",
        Kind.FIRST: "pierwsze | pierwszy | pierwsza",
        Kind.SECOND: "drugie | drugi | druga",
        Kind.THIRD: "trzecie | trzeci | trzecia",
    },
    nouns="zwrot płatność zamówienie zamówienia faktura faktury wniosek przelew kwota kwotę",
    lone="nigdy",
    denials="""w żadnym wypadku | absolutnie nie | nie ma mowy | raczej nie | lepiej nie""",
    sign_offs="pozdrawiam | pozdrowienia | z poważaniem | serdecznie pozdrawiam | dziękuję | dzięki | z wyrazami szacunku",
    has_negating_no=True,
)

_RUSSIAN = language(
    "ru",
    {
        Kind.YES: "да | ок",
        Kind.APPROVE: """одобряю | одобрено | одобрить | одобряем | утверждаю | утверждено | утвердить
            | согласен | согласна | согласовано | согласны | я согласен | я согласна | разрешаю | разрешено
            | подтверждаю | подтверждено | не возражаю | я не возражаю | не возражаем | возражений нет
            | нет возражений | без возражений | не против | я не против | нет проблем | без проблем
            | ничего не имею против | принято | принимаю | действуйте | продолжайте | выполняйте""",
        Kind.NO: "нет",
        Kind.REJECT: """отклонить | отклонено | отклоняю | отклоните | отказ | отказать | отказано | отказываю | отвергаю
            | запрещаю | запрещено | против | я против | возражаю | я возражаю | нельзя | отказываюсь | не
            согласен | не согласна
            | лучше не надо | лучше не стоит""",
        Kind.NEGATION: "не | никогда | никак | ничего | ни",
        Kind.ACT: """одобрять | одобрения | утверждать | согласие | согласия | разрешать | разрешения | могу
            | надо | нужно""",
        Kind.FILL: """пожалуйста | спасибо | большое спасибо | благодарю | здравствуйте | добрый день | доброе утро
            | добрый вечер | привет | это | этот | эту | этого | я | мы | с моей стороны | от меня | извините
            | мой ответ
            | хороших выходных""",
        Kind.SURE: "конечно | разумеется | хорошо | отлично | ладно | прекрасно | ясно | безусловно",
        Kind.EMPHASIS: "абсолютно | категорически | определенно | совершенно | точно | вовсе",
        Kind.AUXILIARY: """спасибо за | благодарю за | может | можно | можем | буду | будет | хочу | должен | бы
            | есть | быть | на | мне | вы | ты | еще | пока""",
        Kind.REGRET: "к сожалению | увы",
        Kind.BUT: """но | если | кроме | однако | разве | иначе | только если | при условии | хотя | а | стоп
            | подождите""",
        Kind.LIMIT: """только | лишь | максимум | макс | не более | не больше | не более чем | до
            | исключительно | максимально""",
        Kind.HALF: "половину | половина | наполовину | половины | половину суммы",
        Kind.CONDITION: """потом | позже | после | перед | сначала | когда | возможно | может быть | завтра
            | сегодня | вчера | скоро | наверное | вероятно | думаю | частично | почти | понедельник | вторник
            | среда | четверг | пятница | суббота | воскресенье | неделя | месяц | день | сейчас | вроде
            | другой | другую | ну | уж""",
        Kind.BECAUSE: "потому что | так как | поскольку | пока не | без | из-за",
        Kind.EACH: "оба | обе | на оба | на обе | обоим | по обоим | все | на все | по всем",
        Kind.FIRST: "первое | первый | первая | первому",
        Kind.SECOND: "второе | второй | вторая | второму",
        Kind.THIRD: "третье | третий | третья",
    },
    nouns="возврат платеж заказ заказа заказу счет заявка заявку перевод сумма сумму",
    lone="никогда",
    denials="ни в коем случае | ни за что | категорически нет | исключено",
    sign_offs="с уважением | всего доброго | спасибо | с наилучшими пожеланиями | хорошего дня",
)

_FINNISH = language(
    "fi",
    {
        Kind.YES: "kyllä | joo | juu",
        Kind.APPROVE: """hyväksyn | hyväksytty | hyväksy | hyväksytään | hyväksykää | hyväksyttävä | saa hyväksyä
            | voi hyväksyä | sopii | sopii minulle | se sopii | se sopii minulle | käy minulle | ei ongelmaa
            | ei ongelmia | ei vastalauseita | ei mitään sitä vastaan | minulla ei ole mitään sitä vastaan
            | vahvistan | vahvistettu | olen samaa mieltä | myönnetty | lupa myönnetty""",
        Kind.NO: "ei",
        Kind.REJECT: """hylkää | hylätty | hylätään | hylkään | hylkäätte | hylättävä | evätty | epään | kielletty
            | kiellän""",
        Kind.NEGATION: "en | älä | älkää | et | emme | eivät | ette | ikinä | koskaan",
        Kind.ACT: """hyväksyntää | hyväksyä | hyväksytä | lupaa | käy | anneta | annan | anna | hyväksyttäisi
            | onnistu | sovi""",
        Kind.FILL: """kiitos | kiitoksia | kiitos paljon | paljon kiitoksia | hei | moi | huomenta | hyvää päivää
            | hyvää huomenta | tämä | tämän | tätä | se | sen | sitä | minä | me | minun puolestani | puolestani
            | minulta | pahoittelut | anteeksi | hyvää päivänjatkoa""",
        Kind.SURE: "tietysti | toki | hyvä | hienoa | selvä | totta kai | mielellään",
        Kind.EMPHASIS: "ehdottomasti | todella | täysin | todellakaan | lainkaan",
        Kind.AUXILIARY: """voi | voin | voisi | voida | saa | pitää | täytyy | on | ole | oli | olla | haluan
            | vielä | sille""",
        Kind.REGRET: "valitettavasti | ikävä kyllä",
        Kind.BUT: "mutta | jos | paitsi | kuitenkin | ellei | muuten | vaan | edellyttäen | odota | kunhan",
        Kind.LIMIT: "vain | ainoastaan | enintään | korkeintaan | max | maksimi | pelkästään | asti | saakka",
        Kind.HALF: "puolet | puolikas | puoleksi | vain puolet | puolet siitä | puolet summasta",
        Kind.CONDITION: """myöhemmin | jälkeen | ennen | ensin | kun | ehkä | huomenna | tänään | eilen | pian
            | luultavasti | todennäköisesti | luulen | osittain | melkein | maanantai | tiistai | keskiviikko
            | torstai | perjantai | lauantai | sunnuntai | viikko | kuukausi | päivä | nyt | sitten | no | niin""",
        Kind.BECAUSE: "koska | sillä | kunnes | ilman | takia",
        Kind.EACH: "molemmat | molempiin | kumpikin | kaikki | kaikkiin",
        Kind.FIRST: "ensimmäinen | ensimmäiseen",
        Kind.SECOND: "toinen | toiseen",
        Kind.THIRD: "kolmas | kolmanteen",
    },
    nouns="hyvitys palautus maksu tilaus lasku pyyntö summa",
    lone="koskaan",
    denials="ei missään nimessä | ei todellakaan | ei ikinä | ei missään tapauksessa",
    sign_offs="terveisin | terv | ystävällisin terveisin | yst terv | kiitos | kiitos etukäteen | yt",
    has_negating_no=True,
)

_TURKISH = language(
    "tr",
    {
        Kind.YES: "evet | tamam",
        Kind.APPROVE: """onaylıyorum | onaylandı | onayla | onaylayın | onaylıyoruz | onaylayabilirsiniz
            | onaylayabilirsin | onay verildi | onay veriyorum | onayladım | kabul | kabul ediyorum
            | kabul edildi | uygun | uygundur | uygun görüyorum | itirazım yok | itiraz yok | sorun yok
            | problem yok | sakıncası yok | benim için uygun | devam edin | devam edebilirsiniz | izin veriyorum
            | izin verildi | teyit ediyorum | olur""",
        Kind.NO: "hayır | yok",
        Kind.REJECT: """reddediyorum | reddedildi | reddet | reddedin | ret | red | reddettim | onaylamıyorum
            | onaylanmadı | onaylama | onaylamayın | onaylamıyoruz | onaylayamam | onaylanamaz | onaylamam
            | kabul etmiyorum | kabul edilmedi | kabul edilemez | olmaz | olamaz | izin vermiyorum | uygun değil
            | uygun değildir | uygun görmüyorum | iptal edin | onay vermiyorum | onay yok | itiraz ediyorum""",
        Kind.NEGATION: "değil | hiçbir",
        Kind.ACT: "onay | izin | onaylı | onaylamak",
        Kind.FILL: """lütfen | teşekkürler | teşekkür ederim | teşekkür ederiz | sağ olun | sağolun | merhaba | selam
            | günaydın | iyi günler | iyi akşamlar | bu | bunu | şu | ben | biz | benim tarafımdan | benden | üzgünüm
            | cevabım
            | iyi hafta sonları""",
        Kind.SURE: "elbette | tabii | tabii ki | memnuniyetle | güzel | harika | iyi | peki",
        Kind.EMPHASIS: "kesinlikle | gerçekten | tamamen | mutlaka",
        Kind.AUXILIARY: "olabilir | olacak | var | edebilir | gerek | henüz | siz | sen | mi | mı | mu | mü",
        Kind.REGRET: "maalesef | ne yazık ki",
        Kind.BUT: "ama | fakat | ancak | eğer | hariç | şartıyla | aksi halde | yalnız | bekleyin | bekle | yerine",
        Kind.LIMIT: """sadece | yalnızca | en fazla | azami | maksimum | max
            | en çok""",
        Kind.HALF: "yarısı | yarısını | yarım | yarı | yarısına",
        Kind.CONDITION: """sonra | önce | belki | yarın | bugün | dün | yakında | muhtemelen | galiba | sanırım
            | kısmen | neredeyse | pazartesi | salı | çarşamba | perşembe | cuma | cumartesi | pazar | hafta
            | ay | gün | şimdi | diğer | başka | şimdilik | kadar""",
        Kind.BECAUSE: "çünkü | zira | kadarıyla | olmadan | nedeniyle",
        Kind.EACH: "ikisi de | her ikisi | her ikisine | ikisine de | hepsi | hepsine | tümü",
        Kind.FIRST: "birinci | birincisi | ilk | ilki",
        Kind.SECOND: "ikinci | ikincisi",
        Kind.THIRD: "üçüncü | üçüncüsü",
    },
    nouns="iade ödeme sipariş fatura talep havale tutar",
    lone="",
    denials="asla | kesinlikle hayır",
    sign_offs="saygılarımla | saygılar | selamlar | iyi çalışmalar | teşekkürler | sevgiler | iyi günler",
    negates_backwards=True,
)

_JAPANESE = language(
    "ja",
    {
        Kind.YES: "はい | ええ | オーケー | okです",
        Kind.APPROVE: """承認 | 承認する | 承認します | 承認しました | 承認です | 承認いたします | 承認致します
            | 承認済み | 承認済みです | 承認してください | 承認して下さい | 承認をお願いします
            | 承認お願いします | 許可します | 許可する | 許可です | 了承します | 了承しました | 了承いたしました
            | 賛成です | 同意します | 問題ありません | 問題ないです | 問題なし | 問題無し | 問題ございません
            | 異議なし | 異議ありません | 異議ございません | 異存ありません | 進めてください | 進めて下さい
            | 実行してください | はい承認します | はい承認です
            | いいですよ""",
        Kind.NO: "いいえ | いえ",
        Kind.REJECT: """却下 | 却下します | 却下です | 却下してください | 却下する | 拒否 | 拒否します
            | 拒否する | 承認しません | 承認しない | 承認できません | 承認できない | 承認いたしません
            | 承認致しません | 承認できかねます | 承認しないでください | 承認しないで | 承認不可 | 不承認
            | 不承認です | 不可 | 不可です | 許可しません | 許可できません | 許可しない | 反対です | 反対します
            | だめ | だめです | ダメ | ダメです | 駄目です | やめてください | 進めないでください
            | 中止してください | 認めません | 認められません | 同意できません | 同意しません
            | お断りします | お断りいたします""",
        Kind.FILL: """ありがとう | ありがとうございます | ありがとうございました | お願いします
            | お願いいたします | よろしくお願いします | よろしくお願いいたします | 宜しくお願いします
            | 宜しくお願いいたします | お疲れ様です | お疲れさまです | お世話になっております | すみません
            | すみませんが | 申し訳ありません | こんにちは | この件""",
        Kind.REGRET: "残念ながら | 残念ですが",
        Kind.BUT: "ただし | しかし | でも | もし",
        Kind.LIMIT: "だけ | のみ | まで",
        Kind.HALF: """半分 | 半分だけ | 半額 | 半額だけ | ただし半分だけ | でも半分だけ | 半分のみ | 半額のみ
            | ただし半額のみ""",
        Kind.CONDITION: "後で | 明日 | 今日 | たぶん | 多分 | おそらく | 確認します | 検討します",
        Kind.EACH: "両方 | どちらも | 両方とも | 全部 | すべて",
        Kind.FIRST: "一つ目 | 1つ目 | 一番目",
        Kind.SECOND: "二つ目 | 2つ目 | 二番目",
        Kind.THIRD: "三つ目 | 3つ目 | 三番目",
    },
)

_KOREAN = language(
    "ko",
    {
        Kind.YES: """네 | 예 | 넵 | 오케이
            | 좋습니다 | 좋아요""",
        Kind.APPROVE: """승인 | 승인합니다 | 승인함 | 승인해요 | 승인했습니다 | 승인할게요 | 승인하겠습니다
            | 승인해 주세요 | 승인해주세요 | 승인 바랍니다 | 승인해 주십시오 | 승인해주십시오 | 동의합니다
            | 허가합니다 | 허락합니다 | 진행하세요 | 진행해 주세요 | 진행해주세요 | 진행하십시오
            | 진행해도 됩니다 | 진행해도 좋습니다 | 문제없습니다 | 문제 없습니다 | 문제없어요 | 문제 없어요
            | 이의 없습니다 | 이의없습니다 | 이견 없습니다""",
        Kind.NO: "아니요 | 아니오 | 아뇨 | 아니",
        Kind.REJECT: """거부 | 거부합니다 | 거절 | 거절합니다 | 반려 | 반려합니다 | 기각 | 기각합니다 | 불가
            | 불가합니다 | 안 됩니다 | 안됩니다 | 안 돼요 | 안돼요 | 안돼 | 승인 불가 | 승인불가
            | 승인하지 않습니다 | 승인하지 않겠습니다 | 승인 안 합니다 | 승인 안 함 | 승인할 수 없습니다
            | 승인 못 합니다 | 승인하지 마세요 | 승인하지 말아 주세요 | 승인하지 마십시오 | 진행하지 마세요
            | 진행하지 말아 주세요 | 하지 마세요 | 미승인 | 동의하지 않습니다 | 동의할 수 없습니다
            | 허가하지 않습니다 | 반대합니다 | 절대 안 됩니다 | 절대 안돼요""",
        Kind.FILL: """감사합니다 | 고맙습니다 | 감사해요 | 안녕하세요 | 수고하세요 | 수고하십니다 | 죄송합니다
            | 부탁드립니다 | 저는 | 이건 | 이것은""",
        Kind.AUXILIARY: "승인하지 | 않습니다 | 안 | 못 | 수 | 않겠습니다",
        Kind.REGRET: "아쉽지만 | 죄송하지만",
        Kind.BUT: "단 | 하지만 | 그런데 | 다만 | 만약",
        Kind.LIMIT: "최대 | 까지",
        Kind.HALF: "절반 | 절반만 | 반만 | 반액만",
        Kind.CONDITION: "나중에 | 내일 | 오늘 | 아마 | 확인 | 검토 | 먼저",
        Kind.EACH: "둘 다 | 모두 | 전부",
        Kind.FIRST: "첫째 | 첫 번째 | 첫번째",
        Kind.SECOND: "둘째 | 두 번째 | 두번째",
        Kind.THIRD: "셋째 | 세 번째 | 세번째",
    },
)

_CHINESE = language(
    "zh",
    {
        Kind.YES: """是 | 是的
            | 好的 | 好""",
        Kind.APPROVE: """同意 | 我同意 | 批准 | 我批准 | 已批准 | 可以批准 | 同意批准 | 予以批准 | 请批准 | 核准
            | 核准了 | 没问题 | 沒問題 | 没有问题 | 沒有問題 | 没有异议 | 沒有異議 | 无异议 | 無異議 | 不反对
            | 不反對 | 我不反对 | 我不反對
            | 可以""",
        Kind.NO: "不 | 不是 | 否 | 不行 | 不可以 | 不要",
        Kind.REJECT: """不同意 | 我不同意 | 不批准 | 我不批准 | 不予批准 | 不能批准 | 拒绝 | 拒絕 | 我拒绝
            | 我拒絕 | 驳回 | 駁回 | 否决 | 否決 | 别批准 | 別批准 | 不要批准 | 请勿批准 | 請勿批准 | 反对
            | 反對 | 我反对 | 我反對""",
        Kind.FILL: "谢谢 | 謝謝 | 感谢 | 感謝 | 你好 | 您好 | 请 | 請 | 抱歉",
        Kind.REGRET: "很遗憾 | 很遺憾 | 很抱歉",
        Kind.BUT: "但 | 但是 | 如果 | 不过 | 不過",
        Kind.LIMIT: "只 | 仅 | 僅 | 最多",
        Kind.HALF: "一半 | 只批准一半 | 但只批准一半 | 只要一半",
        Kind.CONDITION: "以后 | 以後 | 明天 | 今天 | 也许 | 可能",
        Kind.EACH: "都 | 两个都 | 兩個都 | 全部",
    },
)

EASTERN: tuple[Language, ...] = (_POLISH, _RUSSIAN, _FINNISH, _TURKISH, _JAPANESE, _KOREAN, _CHINESE)
